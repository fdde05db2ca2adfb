import { breathe } from "../../exec/breathe.ts";
import type { FileAccess } from "../files/file-access.ts";
import type { LineMatcher } from "./line-matcher.ts";
import { type FoundLine, toFoundLine } from "./matches.ts";

const chunkBytes = 64 * 1024;
/** Free buffers for reuse. A new buffer for each file of a large tree would create much garbage. */
const spareChunks: Buffer[] = [];
const maxSpareChunks = 16;
/** Maximum length of a line to search; the rest is ignored, to limit memory and the time without a pause. */
const maxLineLength = 1024 * 1024;

export interface ScanOptions {
  matches: LineMatcher;
  /** Lines before and after each match. */
  context: number;
  /** Maximum matches; the scan stops at the next one. */
  limit: number;
  signal: AbortSignal;
}

export interface FileScan {
  lines: FoundLine[];
  /** Whether the read part contains a NUL. `lines` then has the lines before the chunk with the NUL. */
  isBinary: boolean;
}

/**
 * Finds the matching lines of a file, with context. Lines end with LF or CRLF; a byte order mark selects UTF-16 and is not part of the text.
 *
 * @throws The errors of the file access, and the reason of the abort signal.
 */
export async function scanFile(files: FileAccess, path: string, options: ScanOptions): Promise<FileScan> {
  const { signal } = options;
  const scan = new LineScan(options);
  const file = await files.open(path);
  const chunk = spareChunks.pop() ?? Buffer.allocUnsafe(chunkBytes);
  try {
    let decoder: InstanceType<typeof TextDecoder> | undefined;
    let isWide = false;
    for (let position = 0; !scan.isDone; ) {
      signal.throwIfAborted();
      const count = await file.read(chunk, position);
      if (count === 0) break;
      position += count;
      const bytes = chunk.subarray(0, count);
      if (!decoder) {
        const encoding = detectEncoding(bytes);
        isWide = encoding !== "utf-8";
        decoder = new TextDecoder(encoding);
      }
      if (!isWide && bytes.includes(0)) return { lines: scan.found, isBinary: true };
      const text = decoder.decode(bytes, { stream: true });
      if (isWide && text.includes("\0")) return { lines: scan.found, isBinary: true };
      scan.push(text);
      await breathe();
    }
    if (decoder && !scan.isDone) scan.push(decoder.decode());
    scan.end();
    return { lines: scan.found, isBinary: false };
  } finally {
    if (spareChunks.length < maxSpareChunks) spareChunks.push(chunk);
    await file.close();
  }
}

function detectEncoding(head: Uint8Array): string {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  return head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : "utf-8";
}

class LineScan {
  readonly found: FoundLine[] = [];
  readonly #options: ScanOptions;
  /** The pieces of an incomplete line. */
  #held: string[] = [];
  #heldLength = 0;
  #number = 0;
  #matches = 0;
  /** The last lines, which become context if the next line matches. */
  #before: FoundLine[] = [];
  /** The number of context lines that are still missing after a match. */
  #after = 0;
  isDone = false;

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  push(text: string): void {
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1 && !this.isDone; end = text.indexOf("\n", start)) {
      this.#hold(text.slice(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#hold(text.slice(start));
  }

  end(): void {
    if (this.#heldLength > 0 && !this.isDone) this.#endLine();
  }

  #hold(piece: string): void {
    const room = maxLineLength - this.#heldLength;
    if (piece === "" || room <= 0) return;
    this.#held.push(piece.slice(0, room));
    this.#heldLength += piece.length;
  }

  #endLine(): void {
    const held = this.#held.length === 1 ? (this.#held[0] ?? "") : this.#held.join("");
    const line = held.endsWith("\r") ? held.slice(0, -1) : held;
    this.#held = [];
    this.#heldLength = 0;
    this.#number++;
    const { context, limit, matches } = this.#options;
    if (matches(line)) {
      this.found.push(...this.#before, toFoundLine(this.#number, line, true));
      this.#before = [];
      this.#after = context;
      this.isDone = ++this.#matches > limit;
    } else if (this.#after > 0) {
      this.found.push(toFoundLine(this.#number, line, false));
      this.#after--;
    } else if (context > 0) {
      this.#before.push(toFoundLine(this.#number, line, false));
      if (this.#before.length > context) this.#before.shift();
    }
  }
}
