/** A part of a line: text, or bytes that are UTF-8 already. */
export type LinePiece = string | Uint8Array;

/** The bytes of a piece. */
export function toBytes(piece: LinePiece): Uint8Array {
  return typeof piece === "string" ? Buffer.from(piece) : piece;
}

/** Lines in the making. Texts are joined, bytes are passed on as they are: not copied, and not encoded a second time. */
export class LinePieces {
  #pieces: LinePiece[] = [];
  #length = 0;

  /** Characters of the texts and bytes of the rest together. */
  get length(): number {
    return this.#length;
  }

  add(piece: LinePiece): void {
    this.#length += piece.length;
    const last = this.#pieces.length - 1;
    const before = this.#pieces[last];
    if (typeof piece === "string" && typeof before === "string") this.#pieces[last] = before + piece;
    else this.#pieces.push(piece);
  }

  /** Hands over what there is and begins anew. */
  take(): LinePiece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#length = 0;
    return pieces;
  }
}
