export interface CompactionSettings {
  /** Whether a conversation is compacted by itself. Default true. */
  enabled: boolean;
  /** Tokens of the window that stay free for the next answer; the summary gets most of them. Default 16384. */
  reserveTokens: number;
  /** Tokens of recent messages that are kept as they are. Default 20000. */
  keepRecentTokens: number;
}

export const defaultCompactionSettings: CompactionSettings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 };

/** The two budgets of a compaction, in tokens. */
export type CompactionBudget = Omit<CompactionSettings, "enabled">;

/**
 * The budgets for a window. Neither may be more than a quarter of it: what a compaction leaves, a summary and the recent messages, is
 * then at most half of a small window, and the next compaction is far away.
 *
 * @param contextWindow - Tokens; 0 when unknown.
 */
export function scaleBudget({ reserveTokens, keepRecentTokens }: CompactionBudget, contextWindow: number): CompactionBudget {
  if (contextWindow <= 0) return { reserveTokens, keepRecentTokens };
  const quarter = Math.floor(contextWindow / 4);
  return { reserveTokens: Math.min(reserveTokens, quarter), keepRecentTokens: Math.min(keepRecentTokens, quarter) };
}

/** Whether a context of so many tokens leaves less than the reserve. Never where the window is not known. */
export function isPastThreshold(tokens: number, settings: CompactionBudget, contextWindow: number): boolean {
  return contextWindow > 0 && tokens > contextWindow - scaleBudget(settings, contextWindow).reserveTokens;
}

/**
 * The fewest tokens that are worth a summary where the model still answers. Without it a conversation whose prompt and summary fill the
 * window would be compacted for every message that grows old.
 */
export function leastWorthwhile({ reserveTokens }: CompactionBudget): number {
  return Math.floor(reserveTokens / 2);
}

/** Most tokens of the summary. */
export function summaryLimit({ reserveTokens }: CompactionBudget, maxTokens: number): number {
  const limit = Math.max(1, Math.floor(0.8 * reserveTokens));
  return maxTokens > 0 ? Math.min(limit, maxTokens) : limit;
}
