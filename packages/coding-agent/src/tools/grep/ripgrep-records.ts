/** The message of ripgrep for a binary file of which it has already printed lines. */
const binaryNotice =
  /^(.*): (?:WARNING: stopped searching binary file after match|binary file matches) \(found "[^"]*" byte around offset \d+\)$/s;
/** Maximum bytes of a record; shown lines are much shorter. ripgrep's own limit is in characters, which can have any number of code points. */
const maxRecordBytes = 64 * 1024;
const lineFeed = 10;

export interface RecordHandler {
  /** @returns Whether the search should continue. */
  onLine(path: string, number: number, text: string, isMatch: boolean): boolean;
  /** Called if a file is binary although lines of it were reported. */
  onBinary(path: string): void;
}

/**
 * Parses the output of ripgrep with `--null --line-number --no-heading`: records of path, NUL, line number, `:` (match) or `-` (context),
 * text and LF. A path may contain LF; the other parts contain neither LF nor NUL.
 */
export class RecordReader {
  readonly #handler: RecordHandler;
  /** The pieces of an incomplete record. */
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(handler: RecordHandler) {
    this.#handler = handler;
  }

  /** @returns Whether the search should continue. */
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
        // The LF is part of a path.
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
