import type { AgentMessage } from "@pikit/agent";
import type { AssistantMessage } from "@pikit/ai";
import type { CompactionSummaryMessage } from "../protocol/messages.ts";

/** The last answer that each compaction has kept; undefined if it kept none. */
const lastKept = new WeakMap<AgentMessage, AgentMessage | undefined>();

/** Creates the message that replaces the summarised messages, in front of the kept ones. */
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
 * Whether an answer was requested after the last compaction. Uses the position in the context, because timestamps can be wrong: the clock
 * may be set back, and an answer and a compaction may have the same millisecond.
 */
export function isSinceCompaction(answer: AssistantMessage, messages: readonly AgentMessage[]): boolean {
  const [first] = messages;
  if (first?.role !== "compactionSummary") return true;
  if (!lastKept.has(first)) return answer.timestamp >= first.timestamp;
  const last = lastKept.get(first);
  return last === undefined || messages.lastIndexOf(answer) > messages.indexOf(last);
}

/** Whether the message is a failed or aborted answer, which is never sent to a model again. */
export function isFailed(message: AgentMessage): boolean {
  return message.role === "assistant" && (message.stopReason === "error" || message.stopReason === "aborted");
}
