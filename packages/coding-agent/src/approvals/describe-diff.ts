/** A replacement in the parameters of `edit`. */
interface Edit {
  oldText: string;
  newText: string;
}

/**
 * The change that a call of `write` or `edit` makes, as the path and lines that begin with `+`, `-` or a space; undefined for other calls. The
 * file is not read: an edit is shown as the model gave it.
 */
export function describeDiff(toolName: string, params: unknown): string | undefined {
  const { path, content, edits, oldText, newText } = (params ?? {}) as Record<string, unknown>;
  if (typeof path !== "string") return undefined;
  if (toolName === "write" && typeof content === "string")
    return [` ${path}`, ...linesOf(content).map((line) => `+${line}`)].join("\n");
  if (toolName !== "edit") return undefined;
  const found = [...(Array.isArray(edits) ? edits : [edits]), { oldText, newText }].filter(isEdit);
  if (found.length === 0) return undefined;
  return [` ${path}`, ...found.flatMap((edit, index) => [...(index > 0 ? [" …"] : []), ...changedLines(edit)])].join("\n");
}

function isEdit(value: unknown): value is Edit {
  const { oldText, newText } = (value ?? {}) as Record<string, unknown>;
  return typeof oldText === "string" && typeof newText === "string";
}

/** The lines of an edit. Equal lines at the start and at the end are context. */
function changedLines({ oldText, newText }: Edit): string[] {
  const before = linesOf(oldText);
  const after = linesOf(newText);
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [
    ...before.slice(0, start).map((line) => ` ${line}`),
    ...before.slice(start, before.length - end).map((line) => `-${line}`),
    ...after.slice(start, after.length - end).map((line) => `+${line}`),
    ...before.slice(before.length - end).map((line) => ` ${line}`),
  ];
}

/** The lines of a text; a line end at its end begins no further line. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.length > 0 && lines.at(-1) === "") lines.pop();
  return lines;
}
