import type { Pacer } from "./pacer.ts";

const pieceBytes = 1024 * 1024;
const lineFeed = 0x0a;

/** Counts the line ends between two byte positions. */
export async function countLineEnds(text: Buffer, start: number, end: number, pacer: Pacer): Promise<number> {
  let count = 0;
  for (let from = start; from < end; from += pieceBytes) {
    const to = Math.min(from + pieceBytes, end);
    for (let at = from; at < to; at++) if (text[at] === lineFeed) count++;
    await pacer.pause();
  }
  return count;
}

/** Returns the 1-based line numbers of ascending byte positions. */
export async function lineNumbersAt(text: Buffer, positions: readonly number[], pacer: Pacer): Promise<number[]> {
  const numbers: number[] = [];
  let line = 1;
  let counted = 0;
  for (const position of positions) {
    line += await countLineEnds(text, counted, position, pacer);
    counted = position;
    numbers.push(line);
  }
  return numbers;
}
