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
  lastSummarisedEntryId: string;
  /** Undefined when everything is summarised. */
  firstKeptEntryId: string | undefined;
  /** Estimates. */
  summarisedTokens: number;
  keptTokens: number;
}

/** What of the active branch a compaction can divide. */
interface Division {
  previous: CompactionPlan["previous"];
  items: Item[];
  /** The first item that came after the previous compaction. */
  firstNew: number;
  /** Says of each position whether a cut there would begin with a result, or separate a call from its result. */
  isInsidePair: boolean[];
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
 * @param contextLength - Messages in the context, the last summary included. What the branch has beyond them is accepted and not said
 *   yet, and is kept. Default: as many as the branch has.
 * @returns Undefined when nothing would be summarised that a model reads, or nothing kept.
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
 * Divides the active branch because somebody asks for it, however short it is: before the last turn, and further on where that turn alone
 * is longer than what is usually kept. Where nothing precedes the last turn, all that has been answered is summarised.
 *
 * @returns Undefined when no model has answered, or none since the last compaction, and no more is there than is usually kept.
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

/** The nearest place before that separates no call from its result. */
function outsidePairs(cut: number, { isInsidePair }: Division): number {
  let position = cut;
  while (position > 0 && isInsidePair[position]) position -= 1;
  return position;
}

/** The messages of the branch since the boundary of the last compaction, in the order of the entries: a cut is a place among those. */
function readDivision(branch: readonly SessionEntry[]): Division {
  const previousIndex = branch.findLastIndex(({ type }) => type === "compaction");
  const last = branch[previousIndex];
  const previous = last?.type === "compaction" ? last : undefined;
  const boundary = previous ? branch.findIndex(({ id }) => id === previous.firstKeptEntryId) : 0;
  // A boundary that is not on the path keeps nothing.
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
  // Before the first start there is the rest of a turn that was cut before.
  if (turnStart >= 0 && turnTokens <= keepTokens) position = turnStart;
  return outsidePairs(position, division);
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
