/** One replacement at its place, in bytes of the file: `text` instead of what is from `start` to before `end`. */
export interface Replacement {
  start: number;
  end: number;
  text: Buffer;
}

/** The file with all replacements made; they are in order and do not overlap. */
export function applyReplacements(original: Buffer, replacements: readonly Replacement[]): Buffer {
  const pieces: Buffer[] = [];
  let position = 0;
  for (const { start, end, text } of replacements) {
    pieces.push(original.subarray(position, start), text);
    position = end;
  }
  return Buffer.concat([...pieces, original.subarray(position)]);
}
