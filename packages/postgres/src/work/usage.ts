import type { SessionHistory, SessionStats } from "@pikit/coding-agent";

/** Tokens, and cost in US dollars. */
export interface Usage {
  tokens: Omit<SessionStats["tokens"], "total">;
  cost: number;
}

/** Entries that are read at a time. */
const portion = 500;

export const noUsage: Usage = { tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, cost: 0 };

/** Adds one usage to another, `factor` times. */
export function addUsage(sum: Usage, more: Usage, factor = 1): Usage {
  const add = (name: keyof Usage["tokens"]) => sum.tokens[name] + factor * more.tokens[name];
  return {
    tokens: { input: add("input"), output: add("output"), cacheRead: add("cacheRead"), cacheWrite: add("cacheWrite") },
    cost: sum.cost + factor * more.cost,
  };
}

/** The usage of a job whose run had several attempts: that of all answers after its prompt. */
export async function usageSince(history: Pick<SessionHistory, "entries">, promptId: string): Promise<Usage> {
  let usage = noUsage;
  let isAfter = false;
  for (let since: string | undefined; ; ) {
    const entries = await history.entries({ limit: portion, ...(since === undefined ? {} : { since }) });
    for (const entry of entries) {
      if (entry.type !== "message") continue;
      if (entry.queueId === promptId) isAfter = true;
      if (!isAfter || entry.message.role !== "assistant") continue;
      const { cost, ...tokens } = entry.message.usage;
      usage = addUsage(usage, { tokens, cost: cost.total });
    }
    const last = entries.at(-1);
    if (!last || entries.length < portion) return usage;
    since = last.id;
  }
}
