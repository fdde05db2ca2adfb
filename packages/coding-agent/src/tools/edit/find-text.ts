import { blanksAtEnd, foldText } from "./fold-text.ts";
import type { FoldedView } from "./folded-view.ts";

/** Maximum occurrences to count. A file of one repeated character has millions. */
export const maxCounted = 1000;
/** Maximum tolerant matches whose byte ranges are computed. Each takes about a millisecond, and more than one is an error anyway. */
const maxUnfolded = 10;

/** A range of bytes of the text. */
export interface Range {
  start: number;
  end: number;
}

export interface Matches {
  /** The first matches, in order. */
  ranges: Range[];
  /** The number of all matches, including overlapping ones; at most `maxCounted` + 1. */
  count: number;
}

/** Finds the exact occurrences of a text. */
export function findExact(source: Buffer, wanted: string): Matches {
  const bytes = Buffer.from(wanted);
  const ranges: Range[] = [];
  for (let start = source.indexOf(bytes); start !== -1 && ranges.length <= maxCounted; start = source.indexOf(bytes, start + 1)) {
    ranges.push({ start, end: start + bytes.length });
  }
  return { ranges, count: ranges.length };
}

/**
 * Finds the occurrences of a text with tolerance: kinds of blanks, quotes, dashes and compatibility forms are equal, and blanks at the ends of
 * lines are ignored.
 */
export function findTolerant(view: FoldedView, wanted: string): Matches {
  const core = foldText(wanted);
  // Blanks alone would match everywhere.
  if (core.trim() === "") return { ranges: [], count: 0 };
  const blanks = blanksAtEnd(wanted);
  const positions: number[] = [];
  for (let at = view.text.indexOf(core); at !== -1 && positions.length <= maxCounted; at = view.text.indexOf(core, at + 1)) {
    const end = at + core.length;
    // If the text ends with blanks, the match must be followed by the same blanks or by the end of the line.
    if (blanks === "" || isLineEnd(view.text, end) || view.text.startsWith(blanks, end)) positions.push(at);
  }
  const ranges = positions.slice(0, maxUnfolded).flatMap((at) => unfold(view, at, core, blanks) ?? []);
  return { ranges, count: ranges.length < maxUnfolded ? ranges.length : positions.length };
}

function unfold(view: FoldedView, at: number, core: string, blanks: string): Range | undefined {
  const coreEnd = at + core.length;
  const start = view.toSource(at, "afterBlanks");
  const end = isLineEnd(view.text, coreEnd)
    ? view.toSource(coreEnd, blanks === "" ? "beforeBlanks" : "afterBlanks")
    : view.toSource(coreEnd + blanks.length, "beforeBlanks");
  if (start === undefined || end === undefined) return undefined;
  // The offsets are computed piece by piece, which differs from folding the whole text for rare sequences of combining marks.
  return foldText(view.source.toString("utf8", start, end)) === core ? { start, end } : undefined;
}

function isLineEnd(text: string, position: number): boolean {
  return position === text.length || text[position] === "\n";
}
