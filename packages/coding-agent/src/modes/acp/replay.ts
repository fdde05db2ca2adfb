import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type { AgentMessage } from "@pikit/agent";
import type { AssistantMessage, ImageContent, TextContent, ToolResultMessage } from "@pikit/ai";
import type { SessionEntry } from "../../conversation/entries.ts";
import { isAbortNote } from "../../conversation/messages.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import { toPlan } from "./session-view.ts";
import { contentOf, diffsOf, toText, viewCall } from "./tool-view.ts";

/**
 * The updates that show the conversation of the active branch, from its first message on: also what a compaction has taken from the model's
 * context. They come in portions.
 */
export async function* replay(session: AgentSession): AsyncGenerator<SessionUpdate[]> {
  for await (const entries of session.history.readBranch()) yield entries.flatMap((entry) => updatesOf(entry, session.cwd));
  const { phases } = session.todos;
  if (phases.length > 0) yield [toPlan(phases)];
}

function updatesOf(entry: SessionEntry, cwd: string): SessionUpdate[] {
  const { id } = entry;
  if (entry.type === "message") return messageUpdates(entry.message, id, cwd);
  if (entry.type === "custom_message" && entry.display) return chunks("agent_message_chunk", entry.content, id);
  return [];
}

function messageUpdates(message: AgentMessage, id: string, cwd: string): SessionUpdate[] {
  switch (message.role) {
    case "user":
      return chunks("user_message_chunk", message.content, id);
    case "assistant":
      return isAbortNote(message) ? [] : answerUpdates(message, id, cwd);
    case "toolResult":
      return [resultUpdate(message)];
    case "bashExecution":
      return chunks("user_message_chunk", `! ${message.command}\n${message.output}`, id);
    default:
      return [];
  }
}

function answerUpdates({ content, errorMessage }: AssistantMessage, messageId: string, cwd: string): SessionUpdate[] {
  const updates = content.flatMap((block): SessionUpdate[] => {
    if (block.type === "text") return chunks("agent_message_chunk", block.text, messageId);
    if (block.type === "thinking") return chunks("agent_thought_chunk", block.thinking, messageId);
    const { id: toolCallId, name, arguments: args } = block;
    const diffs = diffsOf(name, args, cwd, null);
    const shown: { content?: ToolCallContent[] } = diffs.length > 0 ? { content: diffs } : {};
    return [{ sessionUpdate: "tool_call", toolCallId, ...viewCall(name, args, cwd), status: "pending", rawInput: args, ...shown }];
  });
  return errorMessage === undefined ? updates : [...updates, ...chunks("agent_message_chunk", errorMessage, messageId)];
}

function resultUpdate({ toolCallId, toolName, content, details, display, isError }: ToolResultMessage): SessionUpdate {
  const showsDiff = !isError && (toolName === "edit" || toolName === "write");
  const result = { content, details, ...(display ? { display } : {}) };
  return {
    ...{ sessionUpdate: "tool_call_update", toolCallId, status: isError ? "failed" : "completed" },
    ...(showsDiff ? {} : { content: isError ? content.flatMap(textOf) : contentOf(toolName, result) }),
  };
}

function textOf(block: TextContent | ImageContent): ToolCallContent[] {
  return block.type === "text" ? [toText(block.text)] : [];
}

function chunks(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  content: string | readonly (TextContent | ImageContent)[],
  messageId: string,
): SessionUpdate[] {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return blocks.flatMap((block): SessionUpdate[] => {
    if (block.type === "text")
      return block.text === "" ? [] : [{ sessionUpdate, content: { type: "text", text: block.text }, messageId }];
    return [{ sessionUpdate, content: { type: "image", data: block.data, mimeType: block.mimeType }, messageId }];
  });
}
