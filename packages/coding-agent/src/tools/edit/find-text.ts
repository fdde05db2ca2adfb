import { blanksAtEnd, foldText } from "./fold-text.ts";
import type { FoldedView } from "./folded-view.ts";

/** Occurrences counted before we say "more than": in a file of one repeated character there are millions. */
export const maxCounted = 1000;
/** Tolerant matches whose bytes are looked for: each costs about a millisecond, and a second one is an error already. */
const maxUnfolded = 10;

/** Bytes of the text. */
export interface Range {
  start: number;
  end: number;
}

export interface Matches {
  /** The first ones, in order. */
  ranges: Range[];
  /** All, overlapping ones too; at most one more than `maxCounted`. */
  count: number;
}

/** The places where exactly this text occurs. */
export function findExact(source: Buffer, wanted: string): Matches {
  const bytes = Buffer.from(wanted);
  const ranges: Range[] = [];
  for (let start = source.indexOf(bytes); start !== -1 && ranges.length <= maxCounted; start = source.indexOf(bytes, start + 1)) {
    ranges.push({ start, end: start + bytes.length });
  }
  return { ranges, count: ranges.length };
}

/**
 * The places where a text occurs when kinds of blanks, quotes, dashes and compatibility forms are not told apart, and blanks at the ends
 * of lines do not count.
 */
export function findTolerant(view: FoldedView, wanted: string): Matches {
  const core = foldText(wanted);
  // Blanks alone would be found everywhere.
  if (core.trim() === "") return { ranges: [], count: 0 };
  const blanks = blanksAtEnd(wanted);
  const positions: number[] = [];
  for (let at = view.text.indexOf(core); at !== -1 && positions.length <= maxCounted; at = view.text.indexOf(core, at + 1)) {
    const end = at + core.length;
    // With blanks at its end, the text must be followed by the same, or by the end of the line.
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
  // Folding piece by piece, as finding the way back does, is not folding the whole in rare sequences of marks.
  return foldText(view.source.toString("utf8", start, end)) === core ? { start, end } : undefined;
}

function isLineEnd(text: string, position: number): boolean {
  return position === text.length || text[position] === "\n";
}
