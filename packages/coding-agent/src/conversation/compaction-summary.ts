import type { AgentMessage } from "@pikit/agent";
import type { AssistantMessage } from "@pikit/ai";
import type { CompactionSummaryMessage } from "../protocol/messages.ts";

/** The last of the answers that each summary has kept, undefined if it kept none. */
const lastKept = new WeakMap<AgentMessage, AgentMessage | undefined>();

/** Makes the message that stands for what was summarised, in front of the older messages that were kept. */
export function createCompactionSummary(
  fields: Omit<CompactionSummaryMessage, "role">,
  kept: readonly AgentMessage[],
): CompactionSummaryMessage {
  const message: CompactionSummaryMessage = { role: "compactionSummary", ...fields };
  lastKept.set(
    message,
    kept.findLast((other) => other.role === "assistant" && !isFailed(other)),
  );
  return message;
}

/**
 * Whether an answer was asked for after the last compaction, whose summary begins the context. Its place says it: a clock that was set
 * back, or an answer and a compaction within one millisecond, would say it wrong.
 */
export function isSinceCompaction(answer: AssistantMessage, messages: readonly AgentMessage[]): boolean {
  const [first] = messages;
  if (first?.role !== "compactionSummary") return true;
  if (!lastKept.has(first)) return answer.timestamp >= first.timestamp;
  const last = lastKept.get(first);
  return last === undefined || messages.lastIndexOf(answer) > messages.indexOf(last);
}

/** Whether the message is an answer that no model reads again. */
export function isFailed(message: AgentMessage): boolean {
  return message.role === "assistant" && (message.stopReason === "error" || message.stopReason === "aborted");
}
