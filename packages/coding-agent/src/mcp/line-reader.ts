const LF = 0x0a;

/** Splits a byte stream into lines. A line ends with LF; one CR before it is removed. */
export class LineReader {
  readonly #maxBytes: number;
  #held: Buffer[] = [];
  #heldBytes = 0;

  /** @param maxBytes - Maximum bytes of a line. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Yields the lines that end in a chunk.
   *
   * @throws {RangeError} When a line is too long; the reader cannot be used afterwards.
   */
  *read(chunk: Buffer): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      this.#hold(chunk.subarray(start, end));
      const line = Buffer.concat(this.#held).toString("utf8");
      this.#held = [];
      this.#heldBytes = 0;
      start = end + 1;
      yield line.endsWith("\r") ? line.slice(0, -1) : line;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  #hold(piece: Buffer): void {
    this.#heldBytes += piece.length;
    if (this.#heldBytes > this.#maxBytes) throw new RangeError(`a line has more than ${this.#maxBytes / 1024 ** 2} MB`);
    this.#held.push(piece);
  }
}
