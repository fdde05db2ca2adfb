import type { AgentMessage } from "@pikit/agent";

/** A compaction that is about to be made. */
export interface CompactionPreview {
  reason: "manual" | "threshold" | "overflow";
  /** The user's instructions for the summary. */
  instructions?: string;
  /** A copy of the messages that the summary replaces. */
  messages: readonly AgentMessage[];
  /** The summary of the previous compaction. */
  previousSummary?: string;
  tokensBefore: number;
}

/** The decision about a compaction: cancel it, or use this summary instead of one that the model writes. */
export type CompactionWish = { cancel: true } | { summary: string };
