import type { AgentMessage } from "@pikit/agent";
import { emptyUsage, type Usage } from "@pikit/ai";
import type { ContextUsage, SessionStats } from "../protocol/data.ts";
import { isSystemMessage } from "./context.ts";
import type { SessionEntry } from "./entries.ts";

/** The parts of the `get_session_stats` response that are not counts. */
export interface StatsPlace {
  sessionFile?: string;
  sessionId: string;
  contextUsage: ContextUsage;
}

const usageTypes: ReadonlySet<string> = new Set(["compaction", "branch_summary", "usage"]);

/**
 * Counts the messages and the usage of a session. Each entry is added once, when it is read or appended. Abandoned branches and compacted
 * parts count too.
 */
export class StatsCounter {
  #counts = { userMessages: 0, assistantMessages: 0, toolCalls: 0, toolResults: 0, totalMessages: 0 };
  #usage = emptyUsage();

  add(entry: SessionEntry): void {
    if (entry.type === "message") this.addMessage(entry.message);
    else if (entry.type === "custom_message") this.#counts.totalMessages += 1;
    // These may have the usage of a summary, or of a model call of a related program that is no message.
    else if (usageTypes.has(entry.type)) this.#usage = addUsage(this.#usage, (entry as { usage?: unknown }).usage);
  }

  /** Counts a message that is not an entry (yet). */
  addMessage(message: AgentMessage): void {
    if (isSystemMessage(message)) return;
    this.#counts.totalMessages += 1;
    if (message.role === "user") this.#counts.userMessages += 1;
    else if (message.role === "toolResult") this.#counts.toolResults += 1;
    else if (message.role === "assistant") {
      this.#counts.assistantMessages += 1;
      const blocks: unknown = message.content;
      if (Array.isArray(blocks)) this.#counts.toolCalls += blocks.filter((block) => block?.type === "toolCall").length;
    }
    const used = usageOf(message);
    if (used !== undefined) this.#usage = addUsage(this.#usage, used);
  }

  /** The total usage so far. */
  get usage(): Usage {
    return this.#usage;
  }

  /** The numbers so far. */
  get counts(): Omit<SessionStats, keyof StatsPlace> {
    const { input, output, cacheRead, cacheWrite, cost } = this.#usage;
    const total = input + output + cacheRead + cacheWrite;
    return { ...this.#counts, tokens: { input, output, cacheRead, cacheWrite, total }, cost: cost.total };
  }

  /** The response data of `get_session_stats`. */
  toStats({ contextUsage, ...place }: StatsPlace): SessionStats {
    return { ...place, ...this.counts, contextUsage };
  }
}

/**
 * The usage of a message: that of an answer, or the `details.usage` of the tool `delegate`, which calls models itself. Undefined for other
 * messages.
 */
export function usageOf(message: AgentMessage): unknown {
  if (message.role === "assistant") return message.usage;
  if (message.role !== "toolResult" || message.toolName !== "delegate") return undefined;
  return (message.details as { usage?: unknown } | null | undefined)?.usage;
}

/** Adds a usage from a message, which may come from a file: values that are not numbers count as 0. */
export function addUsage(sum: Usage, more: unknown): Usage {
  const usage = toRecord(more);
  const cost = toRecord(usage.cost);
  return {
    input: sum.input + toCount(usage.input),
    output: sum.output + toCount(usage.output),
    cacheRead: sum.cacheRead + toCount(usage.cacheRead),
    cacheWrite: sum.cacheWrite + toCount(usage.cacheWrite),
    totalTokens: sum.totalTokens + toCount(usage.totalTokens),
    cost: {
      input: sum.cost.input + toCount(cost.input),
      output: sum.cost.output + toCount(cost.output),
      cacheRead: sum.cost.cacheRead + toCount(cost.cacheRead),
      cacheWrite: sum.cost.cacheWrite + toCount(cost.cacheWrite),
      total: sum.cost.total + toCount(cost.total),
    },
  };
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function toCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
