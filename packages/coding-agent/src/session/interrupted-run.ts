import type { AgentMessage } from "@pikit/agent";
import type { ToolCall, ToolResultMessage } from "@pikit/ai";
import type { PromptRun } from "../run/run-controller.ts";
import { startRun } from "./accept-prompt.ts";
import type { SessionParts } from "./parts.ts";

const unknownResult =
  "The result is unknown: the process that ran this call ended before it stored a result. The call may have taken effect completely, partly " +
  "or not at all. It was not repeated. Find out what it has done before you decide whether to call it again.";

/** Continues the run of a session; see `AgentSession.resume`. */
export async function resumeRun(parts: SessionParts, signal: AbortSignal | undefined): Promise<PromptRun | undefined> {
  const { agent, runs } = parts;
  if (!runs.isActive && continuationOf(agent.state.messages) === undefined) return undefined;
  return startRun(parts, async () => continuationOf(agent.state.messages) ?? [], { signal });
}

/**
 * The messages with which an interrupted run continues: an error result for each tool call of the last answer that has no result.
 *
 * @param messages - The context of the conversation.
 * @returns Undefined if there is nothing to continue: the last answer is complete, or there is no prompt.
 */
function continuationOf(messages: readonly AgentMessage[]): ToolResultMessage[] | undefined {
  const answered = new Set<string>();
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role === "user") return [];
    if (message?.role === "toolResult") answered.add(message.toolCallId);
    if (message?.role !== "assistant") continue;
    if (message.stopReason === "error" || message.stopReason === "aborted") return [];
    const calls = message.content.filter((block) => block.type === "toolCall");
    return calls.length === 0 ? undefined : calls.filter(({ id }) => !answered.has(id)).map(toUnknownResult);
  }
  return undefined;
}

function toUnknownResult({ id, name }: ToolCall): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: id,
    toolName: name,
    content: [{ type: "text", text: unknownResult }],
    isError: true,
    timestamp: Date.now(),
  };
}
