import type { OutputLimits } from "../../exec/output-limits.ts";
import type { OpenFile } from "../files/file-access.ts";
import type { TextEncoding } from "../files/file-kind.ts";
import { HeadCollector, type HeadSelection } from "../output/truncate.ts";

const chunkBytes = 256 * 1024;
/** How far beyond the wanted lines a file is read only to count its lines: 50 ms or so. */
const maxCountedBytes = 32 * 1024 * 1024;

/** The lines asked for, and how much of the file that is. */
export interface LineWindow extends HeadSelection {
  /** Lines of the file; a final LF ends the last line and begins no other. null when it is too long to count them. */
  totalLines: number | null;
}

export interface LineWindowOptions {
  encoding: TextEncoding;
  /** 1-based number of the first line wanted. */
  offset: number;
  limits: OutputLimits;
  signal: AbortSignal;
}

/**
 * Reads some lines of a file without the rest: what is before them is passed over, what is after them is only counted, and memory
 * holds one chunk and the lines. A byte order mark is not text; CRLF ends a line as LF does; undecodable bytes and NUL become U+FFFD.
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
  /** Number of the line that the next character belongs to. */
  #line = 1;
  #lineHasText = false;
  /** The beginning of a wanted line whose end has not come. */
  #held: string[] = [];
  #heldLength = 0;

  constructor(offset: number, limits: OutputLimits) {
    this.head = new HeadCollector(limits);
    this.#offset = offset;
    this.#maxBytes = limits.maxBytes;
  }

  /** Nothing more is wanted; lines are only counted. */
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
    // Every UTF-16 unit is at least one byte of UTF-8, so the line is over the limit already; no need to hold more of it.
    if (this.#heldLength > this.#maxBytes) this.#take();
  }

  #take(): void {
    const line = this.#held.join("");
    this.#held = [];
    this.#heldLength = 0;
    this.head.add((line.endsWith("\r") ? line.slice(0, -1) : line).replaceAll("\0", "\ufffd"));
  }
}
