import type { Pacer } from "./pacer.ts";

const pieceBytes = 512 * 1024;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A text with CRLF replaced by LF, with the conversion of positions back to the original. All positions are in bytes. */
export class LineEndView {
  readonly lf: Buffer;
  /** Whether more than half of the lines end with CRLF. */
  readonly mostlyCrlf: boolean;
  /** Ascending positions in `lf` of each LF that is a CRLF in the original. */
  readonly #crlfPositions: readonly number[];

  private constructor(lf: Buffer, mostlyCrlf: boolean, crlfPositions: readonly number[]) {
    this.lf = lf;
    this.mostlyCrlf = mostlyCrlf;
    this.#crlfPositions = crlfPositions;
  }

  static async create(original: Buffer, pacer: Pacer): Promise<LineEndView> {
    if (!original.includes("\r\n")) return new LineEndView(original, false, []);
    const lf = Buffer.allocUnsafe(original.length);
    const crlfPositions: number[] = [];
    let length = 0;
    let lines = 0;
    for (let from = 0; from < original.length; from += pieceBytes) {
      const to = Math.min(from + pieceBytes, original.length);
      for (let at = from; at < to; at++) {
        const byte = original[at] ?? 0;
        if (byte === carriageReturn && original[at + 1] === lineFeed) crlfPositions.push(length);
        else {
          lf[length++] = byte;
          if (byte === lineFeed) lines++;
        }
      }
      await pacer.pause();
    }
    return new LineEndView(lf.subarray(0, length), crlfPositions.length * 2 > lines, crlfPositions);
  }

  get hasCrlf(): boolean {
    return this.#crlfPositions.length > 0;
  }

  /** Converts a position to the original. A position before the LF of a CRLF becomes the one before its CR, so that matches never split a CRLF. */
  toOriginal(position: number): number {
    let low = 0;
    let high = this.#crlfPositions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#crlfPositions[middle] ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return position + low;
  }
}

export function toLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
