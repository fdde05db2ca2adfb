import type { AgentMessage } from "@pikit/agent";
import { type AssistantMessage, estimatePromptTokens, type Tool } from "@pikit/ai";
import { isFailed, isSinceCompaction } from "../../conversation/compaction-summary.ts";
import { toModelMessages } from "../../conversation/messages.ts";
import type { ContextUsage } from "../../protocol/data.ts";

/** What a model call is made of. */
export interface ContextParts {
  systemPrompt: string;
  tools: readonly Tool[];
  messages: readonly AgentMessage[];
}

/**
 * How many tokens the context has: what the provider said of the last answer, and an estimate of everything after it. Where no provider
 * has said anything since the last compaction, all of it is estimated.
 */
export function measureContext(parts: ContextParts): { tokens: number; isReported: boolean } {
  const index = findLastReport(parts.messages);
  const answer = parts.messages[index];
  if (answer?.role !== "assistant") return { tokens: estimateContext(parts), isReported: false };
  return { tokens: reportedTokens(answer) + sumOf(parts.messages.slice(index + 1)), isReported: true };
}

/** About how many tokens the context has, whatever has been reported. */
export function estimateContext({ systemPrompt, tools, messages }: ContextParts): number {
  return estimatePromptTokens({ systemPrompt, tools: [...tools], messages: [] }) + sumOf(messages);
}

/** About how many tokens a message has for a model: none if it is never sent. */
export function estimateMessage(message: AgentMessage): number {
  if (isFailed(message)) return 0;
  return estimatePromptTokens({ messages: toModelMessages([message]) });
}

/** How full the window is. After a compaction nobody knows before the next answer. */
export function contextUsageOf(parts: ContextParts, contextWindow: number): ContextUsage {
  const { tokens, isReported } = measureContext(parts);
  const isKnown = isReported || parts.messages[0]?.role !== "compactionSummary";
  const percent = isKnown && contextWindow > 0 ? (100 * tokens) / contextWindow : null;
  return { tokens: isKnown ? tokens : null, contextWindow, percent };
}

/** The last answer whose usage says how long the context is now; -1 when there is none. */
function findLastReport(messages: readonly AgentMessage[]): number {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role !== "assistant" || isFailed(message)) continue;
    if (!isSinceCompaction(message, messages)) return -1;
    if (reportedTokens(message) > 0) return index;
  }
  return -1;
}

/** Other programs' files need not have the sum, or any usage. */
function reportedTokens({ usage }: AssistantMessage): number {
  const { totalTokens = 0, input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = (usage ?? {}) as Partial<typeof usage>;
  return totalTokens || input + output + cacheRead + cacheWrite;
}

function sumOf(messages: readonly AgentMessage[]): number {
  let tokens = 0;
  for (const message of messages) tokens += estimateMessage(message);
  return tokens;
}
