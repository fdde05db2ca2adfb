import { ToolError } from "@pikit/agent";
import { findExact, findTolerant, type Matches, maxCounted, type Range } from "./find-text.ts";
import { FoldedView } from "./folded-view.ts";
import { keepCommonLines } from "./keep-lines.ts";
import { LineEndView, toLf } from "./line-end-view.ts";
import { lineNumbersAt } from "./line-numbers.ts";
import { describeNearest } from "./nearest-text.ts";
import type { Pacer } from "./pacer.ts";
import type { Replacement } from "./replacement.ts";

/** One replacement as a model asks for it. */
export interface Edit {
  oldText: string;
  newText: string;
}

export interface LocatedEdits {
  /** In the order of the file. */
  replacements: Replacement[];
  /** Indexes of the edits whose old text is not in the file exactly. */
  tolerant: number[];
}

/** Lines named when a text occurs several times. */
const maxLinesNamed = 5;
const tolerance = "when blanks at the ends of lines and kinds of quotes, dashes and spaces do not count";

interface Found {
  range: Range;
  index: number;
  replacements: Replacement[];
}

/**
 * Finds where each edit applies. All are looked for in the original text, and each must occur exactly once. Line ends do not matter for
 * that: LF in an edit stands for the CRLF of the file, and in a file that mostly has CRLF, new lines get it too. A text that does not
 * occur exactly is looked for tolerantly, see fold-text.ts.
 *
 * @param original - UTF-8, without byte order mark.
 * @param path - For the error texts.
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
    // What matches exactly in a file of LF can be replaced as a whole: the lines that stay are the same.
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
  /** Said of tolerant matches; with a space before it. */
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
