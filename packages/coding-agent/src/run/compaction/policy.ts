export interface CompactionSettings {
  /** Whether the conversation is compacted automatically. Default true. */
  enabled: boolean;
  /** Tokens of the window that stay free for the next answer. The summary gets most of them. Default 16384. */
  reserveTokens: number;
  /** Tokens of recent messages that are kept unchanged. Default 20000. */
  keepRecentTokens: number;
}

export const defaultCompactionSettings: CompactionSettings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 };

/** The two budgets of a compaction, in tokens. */
export type CompactionBudget = Omit<CompactionSettings, "enabled">;

/**
 * The budgets for a window. Each is at most a quarter of it. So after a compaction, the summary and the recent messages use at most half
 * of a small window, and the next compaction is not near.
 *
 * @param contextWindow - Tokens; 0 when unknown.
 */
export function scaleBudget({ reserveTokens, keepRecentTokens }: CompactionBudget, contextWindow: number): CompactionBudget {
  if (contextWindow <= 0) return { reserveTokens, keepRecentTokens };
  const quarter = Math.floor(contextWindow / 4);
  return { reserveTokens: Math.min(reserveTokens, quarter), keepRecentTokens: Math.min(keepRecentTokens, quarter) };
}

/** Whether a context with this number of tokens leaves less than the reserve. False if the window is unknown. */
export function isPastThreshold(tokens: number, settings: CompactionBudget, contextWindow: number): boolean {
  return contextWindow > 0 && tokens > contextWindow - scaleBudget(settings, contextWindow).reserveTokens;
}

/**
 * The minimum number of tokens for an automatic summary while the model still answers. Without it, a conversation whose prompt and summary
 * fill the window would be compacted again for every message.
 */
export function leastWorthwhile({ reserveTokens }: CompactionBudget): number {
  return Math.floor(reserveTokens / 2);
}

/** Maximum tokens of the summary. */
export function summaryLimit({ reserveTokens }: CompactionBudget, maxTokens: number): number {
  const limit = Math.max(1, Math.floor(0.8 * reserveTokens));
  return maxTokens > 0 ? Math.min(limit, maxTokens) : limit;
}
