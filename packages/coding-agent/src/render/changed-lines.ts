/** The changes that calls of `edit` ask for, as lines. */

/** A replacement in the parameters of `edit`. */
export interface Edit {
  oldText: string;
  newText: string;
}

/** A line of a change: whether it is removed, added or unchanged, and its text. */
export interface ChangedLine {
  mark: "-" | "+" | " ";
  text: string;
}

/** Lists the replacements in the parameters of `edit`, which have several forms. Values that are no replacements are skipped. */
export function listEdits({ edits, oldText, newText }: Record<string, unknown>): Edit[] {
  return [...(Array.isArray(edits) ? edits : [edits]), { oldText, newText }].filter(isEdit);
}

function isEdit(value: unknown): value is Edit {
  const { oldText, newText } = (value ?? {}) as Record<string, unknown>;
  return typeof oldText === "string" && typeof newText === "string";
}

/** The lines of an edit. Equal lines at the start and at the end are context. */
export function changedLines({ oldText, newText }: Edit): ChangedLine[] {
  const before = linesOf(oldText);
  const after = linesOf(newText);
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const marked = (mark: ChangedLine["mark"], lines: readonly string[]) => lines.map((text): ChangedLine => ({ mark, text }));
  return [
    ...marked(" ", before.slice(0, start)),
    ...marked("-", before.slice(start, before.length - end)),
    ...marked("+", after.slice(start, after.length - end)),
    ...marked(" ", before.slice(before.length - end)),
  ];
}

/** The lines of a text; a line end at its end begins no further line. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
