import type { AgentMessage } from "@pikit/agent";
import type { Model, Usage } from "@pikit/ai";
import { isFailed } from "../../../conversation/compaction-summary.ts";
import { readBranch } from "../../../conversation/context.ts";
import type { SessionEntry } from "../../../conversation/entries.ts";
import { toModelMessages } from "../../../conversation/messages.ts";
import { estimateMessage } from "../../../run/compaction/context-size.ts";
import { writeMessage } from "../../../run/compaction/conversation-text.ts";

/** The tokens of an answer and of the prompt before it. */
function calculateContextTokens({ totalTokens, input, output, cacheRead, cacheWrite }: Usage): number {
  return totalTokens || input + output + cacheRead + cacheWrite;
}

function getLastAssistantUsage(entries: readonly SessionEntry[]): Usage | undefined {
  const last = entries.findLast(
    (entry) => entry.type === "message" && entry.message.role === "assistant" && !isFailed(entry.message),
  );
  return last?.type === "message" && last.message.role === "assistant" ? last.message.usage : undefined;
}

/** The path to an entry, root first. Default: to the last entry. */
function pathTo(entries: readonly SessionEntry[], leafId?: string | null): SessionEntry[] {
  if (leafId === null) return [];
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const path: SessionEntry[] = [];
  const seen = new Set<SessionEntry>();
  for (let entry = leafId === undefined ? entries.at(-1) : byId.get(leafId); entry && !seen.has(entry); ) {
    seen.add(entry);
    path.push(entry);
    entry = entry.parentId === null ? undefined : byId.get(entry.parentId);
  }
  return path.reverse();
}

function buildSessionContext(entries: readonly SessionEntry[], leafId?: string | null) {
  const { messages, model, thinkingLevel } = readBranch(pathTo(entries, leafId));
  return { messages, model: model ?? null, thinkingLevel: thinkingLevel ?? "off" };
}

/** The entries of the context: the last compaction stands for those before the first one that it kept. */
function buildContextEntries(entries: readonly SessionEntry[], leafId?: string | null): SessionEntry[] {
  const path = pathTo(entries, leafId);
  const at = path.findLastIndex(({ type }) => type === "compaction");
  const compaction = path[at];
  if (compaction?.type !== "compaction") return path;
  const first = path.findIndex(({ id }) => id === compaction.firstKeptEntryId);
  return [compaction, ...(first >= 0 ? path.slice(first, at) : []), ...path.slice(at + 1)];
}

/** Reads the lines of a session file. Lines that are not JSON objects are skipped. */
function parseSessionEntries(content: string): unknown[] {
  return content.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return typeof value === "object" && value !== null ? [value] : [];
    } catch {
      return []; // an empty line, or one that was cut
    }
  });
}

/**
 * Summarises messages with a model, as a compaction does.
 *
 * @param reserveTokens - Tokens for the prompt and the answer; the answer has at most 80 % of them.
 * @throws {AiError} When the request fails, or its answer is empty.
 */
async function generateSummaryWithUsage(
  messages: readonly AgentMessage[],
  model: Model,
  reserveTokens: number,
  apiKey?: string,
  headers?: Record<string, string>,
  signal: AbortSignal = new AbortController().signal,
  instructions = "",
  previousSummary = "",
): Promise<{ text: string; usage: Usage }> {
  const { summarize } = await import("../../../run/compaction/summarize.ts");
  return summarize({
    ...{ messages, model, instructions, previousSummary, signal, isSplit: false, thinkingLevel: "off" },
    contextWindow: model.contextWindow,
    maxTokens: Math.floor(0.8 * reserveTokens),
    requestOptions: () => ({ ...(apiKey === undefined ? {} : { apiKey }), ...(headers ? { headers } : {}) }),
    // The extension decides whether it tries again.
    retry: { shouldRetry: async () => false, observe: async () => undefined },
  });
}

async function generateSummary(...request: Parameters<typeof generateSummaryWithUsage>): Promise<string> {
  return (await generateSummaryWithUsage(...request)).text;
}

/** The functions about conversations. */
export const conversationFunctions: Record<string, unknown> = {
  ...{
    calculateContextTokens,
    getLastAssistantUsage,
    buildSessionContext,
    buildContextEntries,
    parseSessionEntries,
    generateSummary,
  },
  generateSummaryWithUsage,
  convertToLlm: (messages: readonly AgentMessage[]) => toModelMessages(messages),
  serializeConversation: (messages: readonly AgentMessage[]): string =>
    messages
      .map((message) => writeMessage(message))
      .filter((text) => text !== "")
      .join("\n\n"),
  estimateTokens: estimateMessage,
  sessionEntryToContextMessages: (entry: SessionEntry) => readBranch([entry]).messages,
  getLatestCompactionEntry: (entries: readonly SessionEntry[]) => entries.findLast(({ type }) => type === "compaction") ?? null,
  shouldCompact: (tokens: number, contextWindow: number, { enabled = true, reserveTokens = 16_384 } = {}): boolean =>
    enabled && tokens > contextWindow - reserveTokens,
  DEFAULT_COMPACTION_SETTINGS: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 },
  CURRENT_SESSION_VERSION: 3,
  createBranchSummaryMessage: (summary: string, fromId: string, timestamp: string) => ({
    ...{ role: "branchSummary", summary, fromId, timestamp: Date.parse(timestamp) },
  }),
  createCompactionSummaryMessage: (summary: string, tokensBefore: number, timestamp: string) => ({
    ...{ role: "compactionSummary", summary, tokensBefore, timestamp: Date.parse(timestamp) },
  }),
  createCustomMessage: (customType: string, content: unknown, display: boolean, details: unknown, timestamp: string) => ({
    ...{ role: "custom", customType, content, display, details, timestamp: Date.parse(timestamp) },
  }),
};
