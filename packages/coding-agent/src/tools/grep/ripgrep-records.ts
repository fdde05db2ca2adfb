/** How ripgrep reports a file that turned out to be binary, after lines of it have been printed. */
const binaryNotice =
  /^(.*): (?:WARNING: stopped searching binary file after match|binary file matches) \(found "[^"]*" byte around offset \d+\)$/s;
/** Lines are shown cut far below this. ripgrep cuts them too, but by characters, which can be made of any number of code points. */
const maxRecordBytes = 64 * 1024;
const lineFeed = 10;

export interface RecordHandler {
  /** @returns Whether more is wanted. */
  onLine(path: string, number: number, text: string, isMatch: boolean): boolean;
  /** Lines of this file came before it was seen to be binary. */
  onBinary(path: string): void;
}

/**
 * Reads what ripgrep prints with `--null --line-number --no-heading`: records of path, NUL, line number, `:` (match) or `-` (context),
 * text and LF. A path may contain LF, the rest neither LF nor NUL.
 */
export class RecordReader {
  readonly #handler: RecordHandler;
  /** The beginning of a record whose end has not come. */
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(handler: RecordHandler) {
    this.#handler = handler;
  }

  /** @returns Whether more is wanted. */
  push(chunk: Buffer): boolean {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      this.#hold(chunk.subarray(start, end));
      start = end + 1;
      if (!this.#endLine()) return false;
    }
    this.#hold(chunk.subarray(start));
    return true;
  }

  #hold(piece: Buffer): void {
    if (piece.length === 0 || this.#heldBytes > maxRecordBytes) return;
    this.#held.push(piece);
    this.#heldBytes += piece.length;
  }

  #endLine(): boolean {
    const line = Buffer.concat(this.#held);
    const pathEnd = line.indexOf(0);
    if (pathEnd === -1) {
      const binaryPath = binaryNotice.exec(line.toString())?.[1];
      if (binaryPath === undefined) {
        // The LF belongs to a path.
        this.#hold(Buffer.from([lineFeed]));
        return true;
      }
      this.#handler.onBinary(binaryPath);
    }
    this.#held = [];
    this.#heldBytes = 0;
    if (pathEnd === -1) return true;
    const [, number, mark, text = ""] = /^(\d+)([:-])(.*)$/s.exec(line.toString("utf8", pathEnd + 1)) ?? [];
    return this.#handler.onLine(line.toString("utf8", 0, pathEnd), Number(number), text, mark === ":");
  }
}
