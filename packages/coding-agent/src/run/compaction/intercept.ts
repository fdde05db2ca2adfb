import type { AgentMessage } from "@pikit/agent";

/** A compaction that is about to be made. */
export interface CompactionPreview {
  reason: "manual" | "threshold" | "overflow";
  /** What the user wants the summary to look at. */
  instructions?: string;
  /** What is replaced by the summary. A copy. */
  messages: readonly AgentMessage[];
  /** The summary that stands before them, from the compaction before. */
  previousSummary?: string;
  tokensBefore: number;
}

/** What becomes of it: nothing, or this summary in place of the one that the model would write. */
export type CompactionWish = { cancel: true } | { summary: string };
