import type { AgentMessage } from "@pikit/agent";
import { isFailed } from "../../conversation/compaction-summary.ts";
import { inOrderOfContext, readBranch } from "../../conversation/context.ts";
import type { SessionEntry } from "../../conversation/entries.ts";
import { estimateMessage } from "./context-size.ts";

/** The messages that a compaction summarises, and those that it keeps. */
export interface CompactionPlan {
  /** The previous compaction, whose summary is continued. */
  previous: Extract<SessionEntry, { type: "compaction" }> | undefined;
  /** The messages to summarise, from the first one that the previous compaction kept. */
  summarised: AgentMessage[];
  kept: AgentMessage[];
  lastSummarisedEntryId: string;
  /** Undefined if everything is summarised. */
  firstKeptEntryId: string | undefined;
  /** An estimate, like `keptTokens`. */
  summarisedTokens: number;
  keptTokens: number;
}

/** The part of the active branch that a compaction can divide. */
interface Division {
  previous: CompactionPlan["previous"];
  items: Item[];
  /** The index of the first item after the previous compaction. */
  firstNew: number;
  /** For each position: whether a cut there would separate a tool call from its result, or leave a result first. */
  isInsidePair: boolean[];
}

/** A message of the branch, and its entry. */
interface Item {
  entryId: string;
  message: AgentMessage;
  tokens: number;
}

/**
 * Divides the active branch. At least `keepTokens` of the newest messages are kept, and the beginning of the user's turn in which they
 * start. If that turn alone is longer, the cut falls inside it. Calls stay with their results. Takes linear time in the branch's length.
 *
 * @param branch - In path order, from the first entry that the last compaction kept, or an earlier one.
 * @param keepTokens - 0 keeps only messages that have no answer yet.
 * @param contextLength - The number of messages in the context, including the last summary. Further messages of the branch are accepted
 *   but not sent yet; they are kept. Default: no limit.
 * @returns Undefined if nothing that a model reads would be summarised, or nothing kept.
 * @internal Used by name of a module that is loaded late, which knip does not see.
 */
export function planCompaction(
  branch: readonly SessionEntry[],
  keepTokens: number,
  contextLength = Number.POSITIVE_INFINITY,
): CompactionPlan | undefined {
  const division = readDivision(branch);
  const { previous, items } = division;
  const cut = keepTokens > 0 ? findCut(division, keepTokens) : findLastWork(items) + 1;
  const said = contextLength - (previous ? 1 : 0);
  const bounded = cut > said ? outsidePairs(said, division) : cut;
  return bounded < items.length ? divideAt(bounded, division) : undefined;
}

/**
 * Divides the active branch for a manual compaction, however short the branch is. The cut is before the last turn, or inside it if it is
 * longer than the usual kept part. If nothing precedes the last turn, everything that was answered is summarised.
 *
 * @returns Undefined if there is no new answer since the start or the last compaction, and the branch fits in the usual kept part.
 * @internal Used by name of a module that is loaded late, which knip does not see.
 */
export function planOnRequest(branch: readonly SessionEntry[], keepTokens: number): CompactionPlan | undefined {
  const division = readDivision(branch);
  const { items, firstNew } = division;
  const usual = findCut(division, keepTokens);
  const lastWork = findLastWork(items);
  if (lastWork < firstNew) return divideAt(usual, division);
  const lastTurn = items.findLastIndex(({ message }) => message.role === "user");
  return divideAt(outsidePairs(Math.max(usual, lastTurn), division), division) ?? divideAt(lastWork + 1, division);
}

function divideAt(cut: number, { previous, items, isInsidePair }: Division): CompactionPlan | undefined {
  const lastSummarised = items[cut - 1];
  if (!lastSummarised || isInsidePair[cut]) return undefined;
  const summarisedTokens = sumOf(items, 0, cut);
  if (summarisedTokens === 0) return undefined;
  return {
    previous,
    summarised: inOrderOfContext(items.slice(0, cut).map(({ message }) => message)),
    kept: inOrderOfContext(items.slice(cut).map(({ message }) => message)),
    lastSummarisedEntryId: lastSummarised.entryId,
    firstKeptEntryId: items[cut]?.entryId,
    summarisedTokens,
    keptTokens: sumOf(items, cut, items.length),
  };
}

/** The nearest position, at `cut` or before, that separates no call from its result. */
function outsidePairs(cut: number, { isInsidePair }: Division): number {
  let position = cut;
  while (position > 0 && isInsidePair[position]) position -= 1;
  return position;
}

/** The messages since the boundary of the last compaction, in the order of their entries. A cut is a position in this list. */
function readDivision(branch: readonly SessionEntry[]): Division {
  const previousIndex = branch.findLastIndex(({ type }) => type === "compaction");
  const last = branch[previousIndex];
  const previous = last?.type === "compaction" ? last : undefined;
  const boundary = previous ? branch.findIndex(({ id }) => id === previous.firstKeptEntryId) : 0;
  // If the boundary is not on the path, the last compaction kept nothing.
  const start = boundary < 0 || (previous && boundary > previousIndex) ? previousIndex + 1 : boundary;
  const items: Item[] = [];
  let firstNew = 0;
  for (const entry of branch.slice(start)) {
    if (entry === previous) firstNew = items.length;
    if (entry.type === "compaction") continue;
    for (const message of readBranch([entry]).messages)
      items.push({ entryId: entry.id, message, tokens: estimateMessage(message) });
  }
  return { previous, items, firstNew, isInsidePair: findPairs(items) };
}

function findCut(division: Division, keepTokens: number): number {
  const { items } = division;
  let position = items.length;
  for (let kept = 0; position > 0 && kept < keepTokens; ) {
    position -= 1;
    kept += items[position]?.tokens ?? 0;
  }
  const turnStart = items.findLastIndex(({ message }, index) => index <= position && message.role === "user");
  const nextStart = items.findIndex(({ message }, index) => index > position && message.role === "user");
  const turnTokens = sumOf(items, turnStart, nextStart < 0 ? items.length : nextStart);
  // Messages before the first start are the rest of a turn that an earlier compaction cut.
  if (turnStart >= 0 && turnTokens <= keepTokens) position = turnStart;
  return outsidePairs(position, division);
}

/** The index of the last successful answer or tool result. Later messages have no answer yet. */
function findLastWork(items: readonly Item[]): number {
  return items.findLastIndex(
    ({ message }) => (message.role === "assistant" && !isFailed(message)) || message.role === "toolResult",
  );
}

/** For each position: whether a cut there would separate a tool call from its result, or leave a result first. */
function findPairs(items: readonly Item[]): boolean[] {
  const callIndexes = new Map<string, number>();
  /** The change in the number of open pairs at each position. */
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
