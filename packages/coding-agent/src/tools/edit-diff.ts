import type { Replacement } from "./apply-edits.ts";

/** Unchanged lines shown before and after each change. */
const contextLines = 3;

export interface EditDiff {
  /** Unified, with line numbers in its hunk headers; applying it to the old text gives the new one. */
  diff: string;
  /** 1-based line at which the first change begins, in the new text. */
  firstChangedLine: number;
}

/** Lines `start` to before `start + removed.length` (0-based, of the old text) become `added`. Lines include their LF. */
interface Change {
  start: number;
  removed: string[];
  added: string[];
}

/**
 * Describes replacements whose places are known, so that no difference need be searched for: the work is linear in the text's length.
 *
 * @param replacements - In order, not overlapping, none of an empty place, and changing something.
 */
export function createEditDiff(path: string, original: string, replacements: readonly Replacement[]): EditDiff {
  const lines = splitLines(original);
  const changes = toChanges(original, lines, replacements);
  const output = [`--- ${path}`, `+++ ${path}`];
  let shift = 0;
  for (const hunk of groupChanges(changes)) {
    output.push(...formatHunk(lines, hunk, shift));
    for (const { removed, added } of hunk) shift += added.length - removed.length;
  }
  return { diff: `${output.join("\n")}\n`, firstChangedLine: (changes[0]?.start ?? 0) + 1 };
}

/** Widens replacements to whole lines, joins those that touch the same lines, and drops the lines that stay as they are. */
function toChanges(original: string, lines: readonly string[], replacements: readonly Replacement[]): Change[] {
  const changes: Change[] = [];
  let line = 0;
  let lineStart = 0;
  for (let index = 0; index < replacements.length; ) {
    const first = replacements[index] as Replacement;
    while (lineStart + lengthOf(lines[line]) <= first.start) lineStart += lengthOf(lines[line++]);
    const start = line;
    let added = original.slice(lineStart, first.start);
    let position = first.start;
    let end = lineStart;
    // Takes in replacements, and lines up to the end of the last one, until the block ends where a line of the new text ends.
    for (;;) {
      const next = replacements[index];
      if (next && (next === first || next.start < end)) {
        added += original.slice(position, next.start) + next.text;
        position = next.end;
        index++;
      } else if (end < position || (end === position && added !== "" && !added.endsWith("\n") && line < lines.length)) {
        end += lengthOf(lines[line++]);
      } else break;
    }
    added += original.slice(position, end);
    lineStart = end;
    changes.push(...withoutEqualEnds({ start, removed: lines.slice(start, line), added: splitLines(added) }));
  }
  return changes;
}

function withoutEqualEnds({ start, removed, added }: Change): Change[] {
  let head = 0;
  while (head < removed.length && head < added.length && removed[head] === added[head]) head++;
  let tail = 0;
  while (tail < removed.length - head && tail < added.length - head && removed.at(-1 - tail) === added.at(-1 - tail)) tail++;
  const change = {
    start: start + head,
    removed: removed.slice(head, removed.length - tail),
    added: added.slice(head, added.length - tail),
  };
  return change.removed.length + change.added.length > 0 ? [change] : [];
}

function groupChanges(changes: readonly Change[]): Change[][] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const hunk = hunks.at(-1);
    const previous = hunk?.at(-1);
    const isNear = previous && change.start - (previous.start + previous.removed.length) <= 2 * contextLines;
    if (hunk && isNear) hunk.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

function formatHunk(lines: readonly string[], hunk: readonly Change[], shift: number): string[] {
  const from = Math.max(0, (hunk[0]?.start ?? 0) - contextLines);
  const body: string[] = [];
  let position = from;
  let oldCount = 0;
  let newCount = 0;
  const show = (mark: " " | "-" | "+", shown: readonly string[]) => {
    for (const line of shown)
      body.push(...(line.endsWith("\n") ? [mark + line.slice(0, -1)] : [mark + line, "\\ No newline at end of file"]));
    if (mark !== "+") oldCount += shown.length;
    if (mark !== "-") newCount += shown.length;
  };
  for (const { start, removed, added } of hunk) {
    show(" ", lines.slice(position, start));
    show("-", removed);
    show("+", added);
    position = start + removed.length;
  }
  show(" ", lines.slice(position, position + contextLines));
  // An empty side is numbered by the line before it.
  const oldStart = oldCount === 0 ? from : from + 1;
  const newStart = newCount === 0 ? from + shift : from + shift + 1;
  return [`@@ -${oldStart},${oldCount} +${newStart},${newCount} @@`, ...body];
}

function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function lengthOf(line: string | undefined): number {
  return line?.length ?? 0;
}
