import type { AssistantMessage, ToolResultMessage } from "@pikit/ai";
import { runAssistantTurn } from "./assistant-turn.ts";
import { executeToolCalls } from "./tool-execution.ts";
import type { AgentEvent, AgentLoopConfig, AgentMessage, ModelRequest } from "./types.ts";

/** Delivers an event; the loop waits when a promise comes back. Must not throw. */
export type Emit = (event: AgentEvent) => void | Promise<void>;

export interface AgentRun {
  /** What starts the run: usually one user message. */
  prompts: readonly AgentMessage[];
  /** The conversation so far. Grows as the run adds to it. */
  transcript: AgentMessage[];
  config: AgentLoopConfig;
  emit: Emit;
  /** Aborting it stops the model call or the tools at work and ends the run; nothing is left running. */
  signal: AbortSignal;
}

/**
 * Runs a prompt to its end: the model answers, its tool calls are run, their results go back to the model, until an answer asks for
 * nothing more, fails, or the run is aborted. Every path ends with `agent_end`; this function does not reject.
 *
 * @returns What the run added to the transcript, prompts included.
 */
export async function runAgentLoop({ prompts, transcript, config, emit, signal }: AgentRun): Promise<AgentMessage[]> {
  const added: AgentMessage[] = [];
  const add = async (message: AgentMessage) => {
    await emit({ type: "message_start", message });
    transcript.push(message);
    added.push(message);
    await emit({ type: "message_end", message });
  };
  await emit({ type: "agent_start" });
  let incoming = prompts;
  for (;;) {
    await emit({ type: "turn_start" });
    for (const message of incoming) await add(message);
    const { answer, request } = await runAssistantTurn(transcript, config, emit, signal);
    added.push(answer);
    const toolResults = await respondToCalls(answer, request, emit, signal);
    for (const result of toolResults) await add(result);
    await emit({ type: "turn_end", message: answer, toolResults });
    if (toolResults.length === 0 || signal.aborted) break;
    incoming = [];
  }
  await emit({ type: "agent_end", messages: added, willRetry: false });
  return added;
}

/** Calls of an answer that failed are not trusted, so they are neither run nor answered; such an answer is never sent back. */
async function respondToCalls(
  answer: AssistantMessage,
  request: ModelRequest | undefined,
  emit: Emit,
  signal: AbortSignal,
): Promise<ToolResultMessage[]> {
  if (answer.stopReason === "error" || answer.stopReason === "aborted") return [];
  return executeToolCalls(answer, request?.tools ?? [], emit, signal);
}
