import type { AgentMessage } from "@pikit/agent";
import { type AssistantMessage, estimatePromptTokens, type Message, type Tool } from "@pikit/ai";
import { isFailed, isSinceCompaction } from "../../conversation/compaction-summary.ts";
import { toModelMessages } from "../../conversation/messages.ts";
import type { ContextUsage } from "../../protocol/data.ts";

/** The input of a model call. */
export interface ContextParts {
  systemPrompt: string;
  tools: readonly Tool[];
  messages: readonly AgentMessage[];
}

/**
 * The tokens of the context: the usage that the provider reported with the last answer, plus an estimate of all later messages. Without a
 * report since the last compaction, everything is estimated.
 */
export function measureContext(parts: ContextParts): { tokens: number; isReported: boolean } {
  const index = findLastReport(parts.messages);
  const answer = parts.messages[index];
  if (answer?.role !== "assistant") return { tokens: estimateContext(parts), isReported: false };
  return { tokens: reportedTokens(answer) + sumOf(parts.messages.slice(index + 1)), isReported: true };
}

/** The estimated tokens of the context, without reported usage. */
export function estimateContext({ systemPrompt, tools, messages }: ContextParts): number {
  return estimatePromptTokens({ systemPrompt, tools: [...tools], messages: [] }) + sumOf(messages);
}

/**
 * The estimates of messages, with the number of their characters, so that a text that is changed in place is estimated again. Both are in one number,
 * `length * lengthUnit + tokens`, since a long session has many messages: an object takes three times the memory.
 */
const estimates = new WeakMap<AgentMessage, number>();
const lengthUnit = 2 ** 26;

/** The estimated tokens of a message for a model; 0 if it is never sent. */
export function estimateMessage(message: AgentMessage): number {
  if (isFailed(message)) return 0;
  // The messages of our own roles are few, and have other fields.
  if (message.role !== "user" && message.role !== "assistant" && message.role !== "toolResult") return estimateAnew(message);
  const length = lengthOf(message.content);
  const known = estimates.get(message);
  if (known !== undefined && Math.floor(known / lengthUnit) === length) return known % lengthUnit;
  const tokens = estimateAnew(message);
  if (tokens < lengthUnit && length < lengthUnit) estimates.set(message, length * lengthUnit + tokens);
  return tokens;
}

function estimateAnew(message: AgentMessage): number {
  return estimatePromptTokens({ messages: toModelMessages([message]) });
}

/** The characters of the texts of a message, and its number of blocks. Stored messages may lack a text. */
function lengthOf(content: Message["content"]): number {
  if (typeof content === "string") return content.length;
  let length = content.length;
  for (const block of content) {
    if (block.type === "text") length += block.text?.length ?? 0;
    else if (block.type === "thinking") length += block.thinking?.length ?? 0;
  }
  return length;
}

/** The use of the context window. After a compaction it is unknown until the next answer. */
export function contextUsageOf(parts: ContextParts, contextWindow: number): ContextUsage {
  const { tokens, isReported } = measureContext(parts);
  const isKnown = isReported || parts.messages[0]?.role !== "compactionSummary";
  const percent = isKnown && contextWindow > 0 ? (100 * tokens) / contextWindow : null;
  return { tokens: isKnown ? tokens : null, contextWindow, percent };
}

/** The index of the last answer with reported usage since the last compaction; -1 if there is none. */
function findLastReport(messages: readonly AgentMessage[]): number {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role !== "assistant" || isFailed(message)) continue;
    if (!isSinceCompaction(message, messages)) return -1;
    if (reportedTokens(message) > 0) return index;
  }
  return -1;
}

/** The reported tokens of an answer. Session files of other programs may lack the sum, or all usage. */
function reportedTokens({ usage }: AssistantMessage): number {
  const { totalTokens = 0, input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = (usage ?? {}) as Partial<typeof usage>;
  return totalTokens || input + output + cacheRead + cacheWrite;
}

function sumOf(messages: readonly AgentMessage[]): number {
  let tokens = 0;
  for (const message of messages) tokens += estimateMessage(message);
  return tokens;
}
