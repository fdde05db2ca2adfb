import { ToolError } from "@pikit/agent";

/** One replacement as a model asks for it. */
export interface Edit {
  oldText: string;
  newText: string;
}

/** One replacement at its place: `text` instead of the characters from `start` to before `end`. */
export interface Replacement {
  start: number;
  end: number;
  text: string;
}

/** Lines named when a text occurs several times. */
const maxLinesNamed = 5;

/**
 * Finds where each edit applies. All are looked for in the original text, and each must occur exactly once. Line ends do not matter
 * for that: LF in an edit stands for the CRLF of the file, and in a file that mostly has CRLF, new lines get it too.
 *
 * @param path - For the error texts.
 * @returns In the order of the file.
 * @throws {ToolError} `empty_old_text`, `not_found`, `ambiguous` or `overlap`.
 */
export function locateEdits(original: string, edits: readonly Edit[], path: string): Replacement[] {
  const text = new LineEndView(original);
  const found = edits.map(({ oldText, newText }, index) => {
    const name = edits.length === 1 ? "oldText" : `edits[${index}].oldText`;
    const wanted = toLf(oldText);
    const start = findOnce(text.lf, wanted, name, path);
    const replacement: Replacement = {
      start: text.toOriginal(start),
      end: text.toOriginal(start + wanted.length),
      text: text.mostlyCrlf ? toLf(newText).replaceAll("\n", "\r\n") : newText,
    };
    return { replacement, index };
  });
  found.sort((a, b) => a.replacement.start - b.replacement.start);
  for (const [position, { replacement, index }] of found.entries()) {
    const previous = found[position - 1];
    if (!previous || previous.replacement.end <= replacement.start) continue;
    const text = `edits[${previous.index}] and edits[${index}] overlap in ${path}. Nothing was changed. Merge them into one edit.`;
    throw new ToolError("overlap", text);
  }
  return found.map(({ replacement }) => replacement);
}

/** The text with all replacements made; they are in order and do not overlap. */
export function applyReplacements(original: string, replacements: readonly Replacement[]): string {
  const pieces: string[] = [];
  let position = 0;
  for (const { start, end, text } of replacements) {
    pieces.push(original.slice(position, start), text);
    position = end;
  }
  return [...pieces, original.slice(position)].join("");
}

function findOnce(text: string, wanted: string, name: string, path: string): number {
  if (wanted === "") {
    throw new ToolError(
      "empty_old_text",
      `${name} is empty. Give the text to replace; to fill or replace a whole file, use write.`,
    );
  }
  const starts: number[] = [];
  let count = 0;
  for (let start = text.indexOf(wanted); start !== -1; start = text.indexOf(wanted, start + 1)) {
    if (starts.length < maxLinesNamed) starts.push(start);
    count++;
  }
  const [first] = starts;
  if (first === undefined) {
    const advice = "It must match exactly, with all spaces and line breaks. Read the file again and copy the text from it.";
    throw new ToolError("not_found", `${name} was not found in ${path}. Nothing was changed. ${advice}`);
  }
  if (count === 1) return first;
  const lines = `${starts.map((start) => lineNumber(text, start)).join(", ")}${count > starts.length ? ", …" : ""}`;
  const advice = "Add lines around it until it occurs once.";
  throw new ToolError("ambiguous", `${name} occurs ${count} times in ${path} (lines ${lines}). Nothing was changed. ${advice}`);
}

function lineNumber(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}

function toLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** A text as it would be with LF only, and the way back to the original's positions. */
class LineEndView {
  readonly lf: string;
  readonly mostlyCrlf: boolean;
  /** Positions, in `lf`, of those LF that are CRLF in the original. */
  readonly #crlfPositions: number[] = [];

  constructor(original: string) {
    this.lf = toLf(original);
    if (this.lf.length === original.length) {
      this.mostlyCrlf = false;
      return;
    }
    for (let at = original.indexOf("\r\n"); at !== -1; at = original.indexOf("\r\n", at + 2)) {
      this.#crlfPositions.push(at - this.#crlfPositions.length);
    }
    this.mostlyCrlf = this.#crlfPositions.length * 2 > this.lf.split("\n").length - 1;
  }

  /** A position right before the LF of a CRLF becomes that before its CR, so that a match takes both or none. */
  toOriginal(position: number): number {
    const next = this.#crlfPositions.findIndex((crlf) => crlf >= position);
    return position + (next === -1 ? this.#crlfPositions.length : next);
  }
}
