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
  /** The first entry that is kept; empty if none is. */
  firstKeptEntryId: string;
  /** The sizes, in tokens: what stays free for the next answer, and what is kept of the recent messages. */
  settings: { reserveTokens: number; keepRecentTokens: number };
}

/** The decision about a compaction: cancel it, or use this summary instead of one that the model writes. */
export type CompactionWish = { cancel: true } | { summary: string; details?: unknown };
