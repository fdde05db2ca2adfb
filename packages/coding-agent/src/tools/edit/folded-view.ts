import { foldLine, foldText, unfoldOffset } from "./fold-text.ts";
import type { Pacer } from "./pacer.ts";

/** Bytes to fold without a pause: a few milliseconds, even for text without ASCII. */
const pieceBytes = 32 * 1024;
/** Maximum characters to try as the start of a piece; after that an unsafe one is accepted. */
const maxCutAttempts = 256;
const lineFeed = 0x0a;

interface Piece {
  /** `start` and `end` are byte offsets in the source. */
  start: number;
  end: number;
  /** The offset of the folded piece in the folded text. */
  foldedStart: number;
  /** Whether the last line continues in the next piece. */
  isCut: boolean;
}

/** The position at the end of a line: before or after the blanks that folding removes. */
export type LineEndSide = "beforeBlanks" | "afterBlanks";

/** A text folded for tolerant matching, with the conversion of positions back to bytes of the source. */
export class FoldedView {
  readonly text: string;
  readonly source: Buffer;
  readonly #pieces: readonly Piece[];

  private constructor(text: string, source: Buffer, pieces: readonly Piece[]) {
    this.text = text;
    this.source = source;
    this.#pieces = pieces;
  }

  /** @param source - UTF-8 whose lines end with LF. */
  static async create(source: Buffer, pacer: Pacer): Promise<FoldedView> {
    const pieces: Piece[] = [];
    const folded: string[] = [];
    let foldedStart = 0;
    for (let start = 0; start < source.length; ) {
      const end = findCut(source, start);
      const isCut = end < source.length && source[end - 1] !== lineFeed;
      const text = foldText(source.toString("utf8", start, end), isCut);
      pieces.push({ start, end, foldedStart, isCut });
      folded.push(text);
      foldedStart += text.length;
      start = end;
      await pacer.pause();
    }
    return new FoldedView(folded.join(""), source, pieces);
  }

  /** @returns The byte offset in the source for a position in the folded text; undefined if there is none. */
  toSource(position: number, side: LineEndSide): number | undefined {
    const piece = this.#pieces[this.#pieceAt(position)];
    if (!piece) return undefined;
    const lines = this.source.toString("utf8", piece.start, piece.end).split("\n");
    let rest = position - piece.foldedStart;
    let start = piece.start;
    for (const [index, line] of lines.entries()) {
      const folded = foldLine(line, piece.isCut && index === lines.length - 1);
      if (rest <= folded.length) {
        const offset = rest === folded.length && side === "afterBlanks" ? line.length : unfoldOffset(line, rest);
        return offset === undefined ? undefined : start + Buffer.byteLength(line.slice(0, offset));
      }
      rest -= folded.length + 1;
      start += Buffer.byteLength(line) + 1;
    }
    return undefined;
  }

  /** Finds the index of the last piece that starts at or before a position. */
  #pieceAt(position: number): number {
    let low = 0;
    let high = this.#pieces.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#pieces[middle]?.foldedStart ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** Finds an end for a piece, so that folding the piece alone gives the same result as folding the whole text: preferably a line end. */
function findCut(source: Buffer, start: number): number {
  const limit = start + pieceBytes;
  if (limit >= source.length) return source.length;
  const line = source.lastIndexOf(lineFeed, limit - 1) + 1;
  if (line > start) return line;
  // Within a long line: before a printable ASCII character, which never joins with the character before it.
  for (let at = limit; at > start + pieceBytes / 2; at--) {
    const byte = source[at] ?? 0;
    if (byte > 0x20 && byte < 0x7f) return at;
  }
  // Within a long line without one: before a character that is not a mark.
  let cut = limit;
  for (let at = limit, attempts = 0; at > start && attempts < maxCutAttempts; at--) {
    if (((source[at] ?? 0) & 0xc0) === 0x80) continue;
    cut = at;
    attempts++;
    const [character = ""] = source.toString("utf8", at, at + 4);
    if (!/[\p{M}\s\u1100-\u11ff]/u.test(character)) break;
  }
  return cut;
}
