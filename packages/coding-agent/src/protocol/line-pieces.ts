/** A part of a line: text, or UTF-8 bytes. */
export type LinePiece = string | Uint8Array;

/** The bytes of a piece. */
export function toBytes(piece: LinePiece): Uint8Array {
  return typeof piece === "string" ? Buffer.from(piece) : piece;
}

/** Collects the pieces of lines. Texts are joined; bytes are passed on without copying and encoding them again. */
export class LinePieces {
  #pieces: LinePiece[] = [];
  #length = 0;

  /** The characters of all texts plus the bytes of all other pieces. */
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

  /** Returns the pieces and removes them. */
  take(): LinePiece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#length = 0;
    return pieces;
  }
}
