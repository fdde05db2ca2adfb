import type { AgentMessage } from "@pikit/agent";
import { isFailed } from "../../conversation/compaction-summary.ts";
import { inOrderOfContext, readBranch } from "../../conversation/context.ts";
import type { SessionEntry } from "../../conversation/entries.ts";
import { estimateMessage } from "./context-size.ts";

/** What a compaction summarises, and what it keeps. */
export interface CompactionPlan {
  /** The compaction before this one, whose summary is continued. */
  previous: Extract<SessionEntry, { type: "compaction" }> | undefined;
  /** Everything since what the previous compaction kept. */
  summarised: AgentMessage[];
  kept: AgentMessage[];
  firstKeptEntryId: string;
  /** Estimates. */
  summarisedTokens: number;
  keptTokens: number;
}

/** A message of the branch, and the entry that it comes from. */
interface Item {
  entryId: string;
  message: AgentMessage;
  tokens: number;
}

/**
 * Divides the active branch. At least `keepTokens` of the newest messages are kept, and the rest of the user's turn that they begin in,
 * unless that turn alone is longer: then the cut falls inside it. Calls stay with their results. Linear in the length of the branch.
 *
 * @param branch - In path order; from the first entry that the last compaction kept, or from further back.
 * @param keepTokens - 0 keeps only what no answer has dealt with yet.
 * @returns Undefined when nothing would be summarised that a model reads.
 */
export function planCompaction(branch: readonly SessionEntry[], keepTokens: number): CompactionPlan | undefined {
  const { previous, items } = readItems(branch);
  const isInsidePair = findPairs(items);
  const cut = keepTokens > 0 ? findCut(items, keepTokens, isInsidePair) : findLastWork(items) + 1;
  const firstKept = items[cut];
  if (cut <= 0 || !firstKept || isInsidePair[cut]) return undefined;
  const summarisedTokens = sumOf(items, 0, cut);
  if (summarisedTokens === 0) return undefined;
  return {
    previous,
    summarised: inOrderOfContext(items.slice(0, cut).map(({ message }) => message)),
    kept: inOrderOfContext(items.slice(cut).map(({ message }) => message)),
    firstKeptEntryId: firstKept.entryId,
    summarisedTokens,
    keptTokens: sumOf(items, cut, items.length),
  };
}

/** The messages of the branch since the boundary of the last compaction, in the order of the entries: a cut is a place among those. */
function readItems(branch: readonly SessionEntry[]): { previous: CompactionPlan["previous"]; items: Item[] } {
  const previousIndex = branch.findLastIndex(({ type }) => type === "compaction");
  const last = branch[previousIndex];
  const previous = last?.type === "compaction" ? last : undefined;
  const boundary = previous ? branch.findIndex(({ id }) => id === previous.firstKeptEntryId) : 0;
  // A boundary that is not on the path keeps nothing.
  const start = boundary < 0 || (previous && boundary > previousIndex) ? previousIndex + 1 : boundary;
  const items: Item[] = [];
  for (const entry of branch.slice(start)) {
    if (entry.type === "compaction") continue;
    for (const message of readBranch([entry]).messages)
      items.push({ entryId: entry.id, message, tokens: estimateMessage(message) });
  }
  return { previous, items };
}

function findCut(items: readonly Item[], keepTokens: number, isInsidePair: readonly boolean[]): number {
  let position = items.length;
  for (let kept = 0; position > 0 && kept < keepTokens; ) {
    position -= 1;
    kept += items[position]?.tokens ?? 0;
  }
  const turnStart = items.findLastIndex(({ message }, index) => index <= position && message.role === "user");
  const nextStart = items.findIndex(({ message }, index) => index > position && message.role === "user");
  const turnTokens = sumOf(items, turnStart, nextStart < 0 ? items.length : nextStart);
  // Before the first start there is the rest of a turn that was cut before.
  if (turnStart >= 0 && turnTokens <= keepTokens) position = turnStart;
  while (position > 0 && isInsidePair[position]) position -= 1;
  return position;
}

/** The last answer or result that the model has seen or given: what follows still waits for an answer. */
function findLastWork(items: readonly Item[]): number {
  return items.findLastIndex(
    ({ message }) => (message.role === "assistant" && !isFailed(message)) || message.role === "toolResult",
  );
}

/** Says of each position whether a cut there would begin with a result, or separate a call that came before from a result that comes. */
function findPairs(items: readonly Item[]): boolean[] {
  const callIndexes = new Map<string, number>();
  /** By how much the number of pairs that are open changes at a position. */
  const changes = new Array<number>(items.length + 1).fill(0);
  for (const [index, { message }] of items.entries()) {
    if (message.role === "assistant" && !isFailed(message)) {
      for (const block of message.content) if (block.type === "toolCall") callIndexes.set(block.id, index);
    } else if (message.role === "toolResult") {
      const callIndex = callIndexes.get(message.toolCallId) ?? index - 1;
      changes[callIndex + 1] = (changes[callIndex + 1] ?? 0) + 1;
      changes[index + 1] = (changes[index + 1] ?? 0) - 1;
    }
  }
  let open = 0;
  return changes.map((change) => {
    open += change;
    return open > 0;
  });
}

function sumOf(items: readonly Item[], from: number, to: number): number {
  let tokens = 0;
  for (let index = from; index < to; index += 1) tokens += items[index]?.tokens ?? 0;
  return tokens;
}
