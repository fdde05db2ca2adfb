/** Replaces the bytes of the file from `start` (inclusive) to `end` (exclusive) by `text`. */
export interface Replacement {
  start: number;
  end: number;
  text: Buffer;
}

/** Applies replacements, which must be ordered and not overlap. */
export function applyReplacements(original: Buffer, replacements: readonly Replacement[]): Buffer {
  const pieces: Buffer[] = [];
  let position = 0;
  for (const { start, end, text } of replacements) {
    pieces.push(original.subarray(position, start), text);
    position = end;
  }
  return Buffer.concat([...pieces, original.subarray(position)]);
}
