import { countLineEnds } from "./line-numbers.ts";
import type { Pacer } from "./pacer.ts";
import type { Replacement } from "./replacement.ts";

/** Unchanged lines shown before and after each change. */
const contextLines = 3;
/** Maximum size of a diff. A longer one is not useful, and it would be in the session file and in each event. */
const maxDiffBytes = 256 * 1024;
const lineFeed = 0x0a;

export interface EditDiff {
  /** Unified diff with line numbers in the hunk headers; applied to the old text, it gives the new text. Empty if it would exceed 256 KB. */
  diff: string;
  /** 1-based line of the first change, in the new text. */
  firstChangedLine: number;
}

/** A block of lines that is replaced by `added`. Lines include their LF. */
interface Change {
  /** 0-based line of the old text. */
  line: number;
  /** Bytes of the old text. */
  start: number;
  end: number;
  removed: string[];
  added: string[];
}

/**
 * Creates the diff of known replacements. Because their positions are known, only the lines around them are compared, and the lines between
 * them are counted.
 *
 * @param replacements - Ordered and not overlapping; they must change the text.
 */
export async function createEditDiff(
  path: string,
  original: Buffer,
  replacements: readonly Replacement[],
  pacer: Pacer,
): Promise<EditDiff> {
  const changes: Change[] = [];
  let size = 0;
  let line = 0;
  let counted = 0;
  for (const { start, end, text } of toBlocks(original, replacements)) {
    line += await countLineEnds(original, counted, start, pacer);
    counted = start;
    size += end - start + text.length;
    if (size <= maxDiffBytes) changes.push(...toChange(original, { line, start, end, text }));
    else {
      const first = changes[0]?.line ?? line + (await countCommonLines(original.subarray(start, end), text, pacer));
      return { diff: "", firstChangedLine: first + 1 };
    }
  }
  const firstChangedLine = (changes[0]?.line ?? 0) + 1;
  const name = path.replace(/[\r\n]/g, "?");
  const output = [`--- ${name}`, `+++ ${name}`];
  let shift = 0;
  for (const hunk of groupChanges(changes)) {
    output.push(...formatHunk(original, hunk, shift));
    for (const { removed, added } of hunk) shift += added.length - removed.length;
  }
  const diff = `${output.join("\n")}\n`;
  return { diff: diff.length > maxDiffBytes ? "" : diff, firstChangedLine };
}

/** Extends replacements to whole lines of both texts, and joins replacements on the same lines. */
function toBlocks(original: Buffer, replacements: readonly Replacement[]): Replacement[] {
  const blocks: Replacement[] = [];
  for (let index = 0; index < replacements.length; ) {
    const first = replacements[index] as Replacement;
    const start = first.start === 0 ? 0 : original.lastIndexOf(lineFeed, first.start - 1) + 1;
    const pieces: Buffer[] = [];
    let position = start;
    let end = start;
    // Adds replacements, and lines up to the end of the last one, until the block ends at a line end of the new text.
    for (;;) {
      const next = replacements[index];
      const isOpen = end > start && original[end - 1] !== lineFeed;
      const isOpenAtEnd = end === original.length && !endsWithLine([...pieces, original.subarray(position, end)]);
      const isWithin = next && (next === first || next.start < end || isOpen || isOpenAtEnd);
      if (next && isWithin) {
        pieces.push(original.subarray(position, next.start), next.text);
        position = next.end;
        index++;
      } else if (end < position || (end === position && end < original.length && !endsWithLine(pieces))) {
        end = lineEndAfter(original, Math.max(end, position - 1));
      } else break;
    }
    pieces.push(original.subarray(position, end));
    blocks.push({ start, end, text: Buffer.concat(pieces) });
  }
  return blocks;
}

/** Whether the pieces together end with a complete line, or are empty. */
function endsWithLine(pieces: readonly Buffer[]): boolean {
  const last = pieces.findLast((piece) => piece.length > 0);
  return last === undefined || last.at(-1) === lineFeed;
}

function lineEndAfter(text: Buffer, position: number): number {
  const end = text.indexOf(lineFeed, position);
  return end === -1 ? text.length : end + 1;
}

/** Removes the unchanged lines at both ends of a block. */
function toChange(original: Buffer, { line, start, end, text }: Replacement & { line: number }): Change[] {
  const removed = splitLines(original.toString("utf8", start, end));
  const added = splitLines(text.toString());
  let head = 0;
  while (head < removed.length && head < added.length && removed[head] === added[head]) head++;
  let tail = 0;
  while (tail < removed.length - head && tail < added.length - head && removed.at(-1 - tail) === added.at(-1 - tail)) tail++;
  const change: Change = {
    line: line + head,
    start: start + byteLength(removed.slice(0, head)),
    end: end - byteLength(removed.slice(removed.length - tail)),
    removed: removed.slice(head, removed.length - tail),
    added: added.slice(head, added.length - tail),
  };
  return change.removed.length + change.added.length > 0 ? [change] : [];
}

/** Counts the common lines at the beginning of both texts. */
async function countCommonLines(a: Buffer, b: Buffer, pacer: Pacer): Promise<number> {
  let common = 0;
  for (let at = 0; at < a.length && at < b.length; ) {
    const end = Math.min(at + maxDiffBytes, a.length, b.length);
    while (at < end && a[at] === b[at]) at++;
    common = at;
    if (at < end) break;
    await pacer.pause();
  }
  return countLineEnds(a, 0, common, pacer);
}

function groupChanges(changes: readonly Change[]): Change[][] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const hunk = hunks.at(-1);
    const previous = hunk?.at(-1);
    const isNear = previous && change.line - (previous.line + previous.removed.length) <= 2 * contextLines;
    if (hunk && isNear) hunk.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

function formatHunk(original: Buffer, hunk: readonly Change[], shift: number): string[] {
  const [first] = hunk;
  const last = hunk.at(-1);
  if (!first || !last) return [];
  const before = linesBefore(original, first.start);
  const from = first.line - before.length;
  const body: string[] = [];
  let position = first.start;
  let oldCount = 0;
  let newCount = 0;
  const show = (mark: " " | "-" | "+", shown: readonly string[]) => {
    for (const line of shown)
      body.push(...(line.endsWith("\n") ? [mark + line.slice(0, -1)] : [mark + line, "\\ No newline at end of file"]));
    if (mark !== "+") oldCount += shown.length;
    if (mark !== "-") newCount += shown.length;
  };
  show(" ", before);
  for (const { start, end, removed, added } of hunk) {
    show(" ", splitLines(original.toString("utf8", position, start)));
    show("-", removed);
    show("+", added);
    position = end;
  }
  show(" ", linesAfter(original, last.end));
  // An empty side has the number of the line before it.
  const oldStart = oldCount === 0 ? from : from + 1;
  const newStart = newCount === 0 ? from + shift : from + shift + 1;
  return [`@@ -${oldStart},${oldCount} +${newStart},${newCount} @@`, ...body];
}

function linesBefore(text: Buffer, position: number): string[] {
  let start = position;
  for (let line = 0; line < contextLines && start > 0; line++) start = start < 2 ? 0 : text.lastIndexOf(lineFeed, start - 2) + 1;
  return readContext(text, start, position);
}

function linesAfter(text: Buffer, position: number): string[] {
  let end = position;
  for (let line = 0; line < contextLines && end < text.length; line++) end = lineEndAfter(text, end);
  return readContext(text, position, end);
}

/** Reads lines for context. Long text may be cut, because the diff is then dropped as too long. */
function readContext(text: Buffer, start: number, end: number): string[] {
  return splitLines(text.toString("utf8", start, Math.min(end, start + 2 * maxDiffBytes)));
}

function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function byteLength(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
}
