import type { OutputLimits } from "../../exec/output-limits.ts";
import type { OpenFile } from "../files/file-access.ts";
import type { TextEncoding } from "../files/file-kind.ts";
import { HeadCollector, type HeadSelection } from "../output/truncate.ts";

const chunkBytes = 256 * 1024;
/** Maximum bytes to read after the requested lines, only to count the lines: about 50 ms. */
const maxCountedBytes = 32 * 1024 * 1024;

/** The requested lines, and the total of the file. */
export interface LineWindow extends HeadSelection {
  /** Lines of the file; a final LF ends the last line and does not start another. null if the file is too long to count them. */
  totalLines: number | null;
}

export interface LineWindowOptions {
  encoding: TextEncoding;
  /** 1-based number of the first requested line. */
  offset: number;
  limits: OutputLimits;
  signal: AbortSignal;
}

/**
 * Reads some lines of a file. Lines before them are skipped, lines after them are only counted, and memory holds only one chunk and the
 * requested lines. A byte order mark is removed; lines end with LF or CRLF; invalid bytes and NUL become U+FFFD.
 */
export async function readLines(file: OpenFile, { encoding, offset, limits, signal }: LineWindowOptions): Promise<LineWindow> {
  const scanner = new LineScanner(offset, limits);
  const decoder = new TextDecoder(encoding);
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let countedBytes = 0;
  for (let position = 0; ; ) {
    signal.throwIfAborted();
    const bytesRead = await file.read(chunk, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    if (scanner.isDone) countedBytes += bytesRead;
    if (countedBytes > maxCountedBytes) return { ...scanner.head.selection, totalLines: null };
    scanner.scan(decoder.decode(chunk.subarray(0, bytesRead), { stream: true }));
  }
  scanner.scan(decoder.decode());
  return { ...scanner.head.selection, totalLines: scanner.end() };
}

class LineScanner {
  readonly head: HeadCollector;
  readonly #offset: number;
  readonly #maxBytes: number;
  /** The number of the line of the next character. */
  #line = 1;
  #lineHasText = false;
  /** The pieces of an incomplete requested line. */
  #held: string[] = [];
  #heldLength = 0;

  constructor(offset: number, limits: OutputLimits) {
    this.head = new HeadCollector(limits);
    this.#offset = offset;
    this.#maxBytes = limits.maxBytes;
  }

  /** Whether a limit was reached, so that lines are only counted. */
  get isDone(): boolean {
    return this.head.selection.truncatedBy !== null;
  }

  scan(text: string): void {
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      if (this.#isWanted) this.#hold(text.slice(start, end));
      if (this.#isWanted) this.#take();
      this.#line++;
      start = end + 1;
    }
    if (start > 0) this.#lineHasText = false;
    if (start === text.length) return;
    this.#lineHasText = true;
    if (this.#isWanted) this.#hold(text.slice(start));
  }

  /** @returns The number of lines. */
  end(): number {
    if (this.#lineHasText && this.#isWanted) this.#take();
    return this.#lineHasText ? this.#line : this.#line - 1;
  }

  get #isWanted(): boolean {
    return this.#line >= this.#offset && !this.isDone;
  }

  #hold(piece: string): void {
    this.#held.push(piece);
    this.#heldLength += piece.length;
    // Each UTF-16 unit has at least one byte in UTF-8, so this line already exceeds the limit.
    if (this.#heldLength > this.#maxBytes) this.#take();
  }

  #take(): void {
    const line = this.#held.join("");
    this.#held = [];
    this.#heldLength = 0;
    this.head.add((line.endsWith("\r") ? line.slice(0, -1) : line).replaceAll("\0", "\ufffd"));
  }
}
