import { ToolError } from "@pikit/agent";
import { findExact, findTolerant, type Matches, maxCounted, type Range } from "./find-text.ts";
import { FoldedView } from "./folded-view.ts";
import { keepCommonLines } from "./keep-lines.ts";
import { LineEndView, toLf } from "./line-end-view.ts";
import { lineNumbersAt } from "./line-numbers.ts";
import { describeNearest } from "./nearest-text.ts";
import type { Pacer } from "./pacer.ts";
import type { Replacement } from "./replacement.ts";

/** A replacement requested by the model. */
export interface Edit {
  oldText: string;
  newText: string;
}

export interface LocatedEdits {
  /** In file order. */
  replacements: Replacement[];
  /** Indexes of the edits without an exact match. */
  tolerant: number[];
}

/** Maximum line numbers in the error for several matches. */
const maxLinesNamed = 5;
const tolerance = "when blanks at the ends of lines and kinds of quotes, dashes and spaces do not count";

interface Found {
  range: Range;
  index: number;
  replacements: Replacement[];
}

/**
 * Finds the position of each edit in the original text. Each old text must occur exactly once. LF in an edit also matches CRLF, and if most
 * lines of the file end with CRLF, new lines get it too. If there is no exact match, the search is tolerant; see fold-text.ts.
 *
 * @param original - UTF-8, without byte order mark.
 * @param path - For error messages.
 * @throws {ToolError} `empty_old_text`, `not_found`, `ambiguous` or `overlap`; the abort's reason.
 */
export async function locateEdits(original: Buffer, edits: readonly Edit[], path: string, pacer: Pacer): Promise<LocatedEdits> {
  const text = await LineEndView.create(original, pacer);
  let folded: FoldedView | undefined;
  const found: Found[] = [];
  const tolerant: number[] = [];
  for (const [index, edit] of edits.entries()) {
    const name = edits.length === 1 ? "oldText" : `edits[${index}].oldText`;
    const wanted = toLf(edit.oldText);
    if (wanted === "") {
      const advice = "Give the text to replace; to fill or replace a whole file, use write.";
      throw new ToolError("empty_old_text", `${name} is empty. ${advice}`);
    }
    const newText = toLf(edit.newText);
    const exact = await onlyMatch(findExact(text.lf, wanted), { text: text.lf, name, path, pacer });
    await pacer.pause();
    let range = exact;
    if (!range) {
      folded ??= await FoldedView.create(text.lf, pacer);
      range = await onlyMatch(findTolerant(folded, wanted), { text: text.lf, name, path, pacer, how: ` ${tolerance}` });
      if (!range) throw await notFoundError(text.lf, wanted, name, path, pacer);
      tolerant.push(index);
    }
    // An exact match in a file with LF can be replaced as a whole, because its unchanged lines are identical.
    const isSame = exact && (!text.hasCrlf || (edit.newText.includes("\r") && !text.mostlyCrlf));
    const replacements = isSame
      ? [{ ...range, text: Buffer.from(edit.newText) }]
      : await keepCommonLines(text.lf.subarray(range.start, range.end), range.start, wanted, newText);
    found.push({ range, index, replacements });
  }
  assertApart(found, path);
  const replacements = found.flatMap((edit) => edit.replacements);
  return { tolerant, replacements: replacements.map((replacement) => toOriginal(replacement, text)) };
}

interface Search {
  text: Buffer;
  name: string;
  path: string;
  pacer: Pacer;
  /** A note for tolerant matches; begins with a space. */
  how?: string;
}

async function onlyMatch({ ranges, count }: Matches, { text, name, path, pacer, how = "" }: Search): Promise<Range | undefined> {
  if (count <= 1) return ranges[0];
  const positions = ranges.slice(0, maxLinesNamed).map(({ start }) => start);
  const lines = (await lineNumbersAt(text, positions, pacer)).join(", ");
  const times = count > maxCounted ? `more than ${maxCounted}` : count;
  const where = `lines ${lines}${count > positions.length ? ", …" : ""}`;
  const advice = "Add lines around it until it occurs once.";
  throw new ToolError("ambiguous", `${name} occurs ${times} times in ${path}${how} (${where}). Nothing was changed. ${advice}`);
}

async function notFoundError(text: Buffer, wanted: string, name: string, path: string, pacer: Pacer): Promise<ToolError> {
  const nearest = await describeNearest(text, wanted, name, pacer);
  const advice = "It must match, with all spaces and line breaks. Read the file again and copy the text from it.";
  return new ToolError("not_found", `${name} was not found in ${path}. Nothing was changed. ${nearest ?? advice}`);
}

function assertApart(found: Found[], path: string): void {
  found.sort((a, b) => a.range.start - b.range.start);
  for (const [position, { range, index }] of found.entries()) {
    const previous = found[position - 1];
    if (!previous || previous.range.end <= range.start) continue;
    const text = `edits[${previous.index}] and edits[${index}] overlap in ${path}. Nothing was changed. Merge them into one edit.`;
    throw new ToolError("overlap", text);
  }
}

function toOriginal({ start, end, text }: Replacement, view: LineEndView): Replacement {
  return {
    start: view.toOriginal(start),
    end: view.toOriginal(end),
    text: view.mostlyCrlf ? Buffer.from(text.toString().replaceAll("\n", "\r\n")) : text,
  };
}
