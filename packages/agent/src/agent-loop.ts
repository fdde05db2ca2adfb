import type { ToolResultMessage } from "@pikit/ai";
import { type AssistantTurn, runAssistantTurn, tellFailedTurn } from "./assistant-turn.ts";
import { AgentError } from "./errors.ts";
import { executeToolCalls } from "./tool-execution.ts";
import type { AgentLoopConfig, AgentMessage, Emit } from "./types.ts";
import { withinGrace } from "./within-grace.ts";

export interface AgentRun {
  /** The messages that start the run, usually one user message. Empty to continue a transcript that ends with one. */
  prompts: readonly AgentMessage[];
  /** The conversation so far. The run appends its messages to it. */
  transcript: AgentMessage[];
  config: AgentLoopConfig;
  emit: Emit;
  /** An abort stops the model call or the running tools, and ends the run. */
  signal: AbortSignal;
}

/**
 * Runs a prompt to its end: the model answers, the loop runs the tool calls and sends the results back. The run ends when an answer has no
 * tool calls and no message is queued, when an answer fails and is not retried, or on an abort. Every run ends with `agent_end`. Never
 * rejects.
 *
 * @returns The messages that the run added to the transcript, including the prompts.
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
  let incoming: readonly AgentMessage[] | undefined = prompts;
  while (incoming) {
    await emit({ type: "turn_start" });
    for (const message of incoming) await add(message);
    const turn = await runAssistantTurn(transcript, config, emit, signal);
    added.push(turn.answer);
    const toolResults = isUsable(turn) ? await executeToolCalls(turn, config, emit, signal) : [];
    for (const result of toolResults) await add(result);
    await emit({ type: "turn_end", message: turn.answer, toolResults });
    try {
      incoming = await nextMessages(turn, toolResults, config, signal);
    } catch (error) {
      added.push(await tellFailedTurn(turn.request?.model, error, transcript, emit, signal));
      incoming = undefined;
    }
  }
  await emit({ type: "agent_end", messages: added, willRetry: false });
  return added;
}

/** Tool calls of a failed answer are not run and get no result, and the answer is never sent back to the model. */
function isUsable({ answer }: AssistantTurn): boolean {
  return answer.stopReason !== "error" && answer.stopReason !== "aborted";
}

/**
 * The messages for the next turn; undefined when the run is over.
 *
 * @throws {AgentError} `aborted` when an abort ends the run, and its last message does not show the abort.
 */
async function nextMessages(
  turn: AssistantTurn,
  toolResults: readonly ToolResultMessage[],
  config: AgentLoopConfig,
  signal: AbortSignal,
): Promise<readonly AgentMessage[] | undefined> {
  if (!isUsable(turn)) {
    if (signal.aborted && turn.answer.stopReason === "aborted") return undefined;
    throwIfAborted(signal);
    const verdict = await withinGrace("a hook", async () => config.shouldRetry?.(turn, signal), signal);
    throwIfAborted(signal);
    if (!verdict) return undefined;
    return verdict === true ? [] : verdict;
  }
  if (toolResults.length > 0) throwIfAborted(signal);
  else if (signal.aborted) return undefined;
  const finished = { answer: turn.answer, toolResults };
  const verdict = await withinGrace("a hook", async () => config.betweenTurns?.(finished, signal), signal);
  if (toolResults.length > 0 || verdict) throwIfAborted(signal);
  if (verdict === "stop" || signal.aborted) return undefined;
  const next = [...(verdict ?? []), ...(config.takeSteering?.() ?? [])];
  if (toolResults.length > 0 || next.length > 0) return next;
  const followUps = config.takeFollowUps?.() ?? [];
  return followUps.length > 0 ? followUps : undefined;
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new AgentError("aborted", "The run was aborted.");
}
