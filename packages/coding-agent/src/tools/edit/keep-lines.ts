import type { Replacement } from "./replacement.ts";

/** With more changed lines, the whole text is replaced, because a line diff would take long. */
const maxChangedLines = 1000;

/**
 * Reduces the replacement of a tolerant match: lines that are the same in the old and the new text of the edit stay unchanged in the file.
 *
 * @param match - The matching text of the file; it has as many lines as `oldText`.
 * @param start - The offset of `match`.
 * @param oldText - Like `newText`, with LF only.
 */
export async function keepCommonLines(match: Buffer, start: number, oldText: string, newText: string): Promise<Replacement[]> {
  const { diffArrays } = await import("diff");
  const parts = diffArrays(splitLines(oldText), splitLines(newText), { maxEditLength: maxChangedLines });
  const whole: Replacement = { start, end: start + match.length, text: Buffer.from(newText) };
  if (!parts) return [whole];
  const replacements: Replacement[] = [];
  let position = 0;
  let change: Replacement | undefined;
  for (const { value, count, added, removed } of parts) {
    if (!added && !removed) {
      change = undefined;
      position = skipLines(match, position, count);
      continue;
    }
    if (!change) {
      change = { start: start + position, end: start + position, text: Buffer.alloc(0) };
      replacements.push(change);
    }
    if (added) change.text = Buffer.concat([change.text, Buffer.from(value.join(""))]);
    else {
      position = skipLines(match, position, count);
      change.end = start + position;
    }
  }
  return replacements;
}

function skipLines(text: Buffer, start: number, count: number): number {
  let position = start;
  for (let line = 0; line < count; line++) {
    const end = text.indexOf(0x0a, position);
    position = end === -1 ? text.length : end + 1;
  }
  return position;
}

function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
