import { defaultOutputLimits, type OutputLimits } from "./output-limits.ts";

/** Bytes kept beyond the limit, so that the character before the cut can be seen: it says whether the cut is at a line's start. */
const margin = 8;
const LF = 0x0a;

/** The end of an output, and what it is the end of. */
export interface TailSnapshot {
  text: string;
  /** Whether anything before `text` was left out. */
  truncated: boolean;
  /** The limit that decided where `text` begins; null when it is everything. */
  truncatedBy: "lines" | "bytes" | null;
  /** `text` begins inside a line, because its last line alone is over the byte limit. */
  startsMidLine: boolean;
  /** Lines of the whole output; a final LF ends the last line and begins no other. */
  totalLines: number;
  /** UTF-8 bytes of the whole output. */
  totalBytes: number;
  /** Lines of `text`. */
  outputLines: number;
  /** UTF-8 bytes of `text`. */
  outputBytes: number;
}

/** Keeps the last lines of an output of any length in bounded memory (some twice the byte limit). */
export class OutputTail {
  readonly #limits: OutputLimits;
  #pieces: string[] = [];
  #heldBytes = 0;
  #totalBytes = 0;
  #lineFeeds = 0;
  #endsInLineFeed = true;

  constructor(limits: OutputLimits = defaultOutputLimits) {
    this.#limits = limits;
  }

  append(text: string): void {
    if (text === "") return;
    const bytes = Buffer.byteLength(text);
    this.#totalBytes += bytes;
    this.#lineFeeds += countLineFeeds(text);
    this.#endsInLineFeed = text.charCodeAt(text.length - 1) === LF;
    this.#pieces.push(text);
    this.#heldBytes += bytes;
    if (this.#heldBytes > 2 * this.#limits.maxBytes + margin) this.#compact();
  }

  get totalLines(): number {
    return this.#lineFeeds + (this.#endsInLineFeed ? 0 : 1);
  }

  /** Whether the output is over a limit. */
  get truncated(): boolean {
    return this.#totalBytes > this.#limits.maxBytes || this.totalLines > this.#limits.maxLines;
  }

  /** What there is so far. */
  snapshot(): TailSnapshot {
    const held = this.#join();
    const totals = { totalLines: this.totalLines, totalBytes: this.#totalBytes };
    if (!this.truncated) {
      const shown = { outputLines: totals.totalLines, outputBytes: totals.totalBytes };
      return { text: held, truncated: false, truncatedBy: null, startsMidLine: false, ...totals, ...shown };
    }
    const byBytes = byteLimitStart(held, this.#limits.maxBytes);
    const byLines = lineLimitStart(held, this.#limits.maxLines);
    const text = held.slice(Math.max(byBytes.start, byLines));
    return {
      text,
      truncated: true,
      truncatedBy: byBytes.start > byLines ? "bytes" : "lines",
      startsMidLine: byBytes.startsMidLine && byBytes.start > byLines,
      ...totals,
      outputLines: countLineFeeds(text) + (text.endsWith("\n") ? 0 : 1),
      outputBytes: Buffer.byteLength(text),
    };
  }

  #join(): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join("")];
    return this.#pieces[0] ?? "";
  }

  #compact(): void {
    const kept = lastBytes(this.#join(), this.#limits.maxBytes + margin);
    this.#pieces = [kept];
    this.#heldBytes = Buffer.byteLength(kept);
  }
}

/** The longest end of `text` that has at most `maxBytes` and begins with a whole character. */
function lastBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let start = bytes.length - maxBytes;
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.toString("utf8", start);
}

function byteLimitStart(text: string, maxBytes: number): { start: number; startsMidLine: boolean } {
  const cut = text.length - lastBytes(text, maxBytes).length;
  if (cut === 0 || text.charCodeAt(cut - 1) === LF) return { start: cut, startsMidLine: false };
  const lineEnd = text.indexOf("\n", cut);
  // The last line, with or without its LF, is longer than the limit: a piece of it says more than nothing.
  if (lineEnd === -1 || lineEnd === text.length - 1) return { start: cut, startsMidLine: true };
  return { start: lineEnd + 1, startsMidLine: false };
}

function lineLimitStart(text: string, maxLines: number): number {
  // Searching from before the last character skips a final LF, which begins no line.
  let position = text.length - 1;
  for (let line = 0; line < maxLines; line++) {
    if (position <= 0) return 0;
    position = text.lastIndexOf("\n", position - 1);
    if (position === -1) return 0;
  }
  return position + 1;
}

function countLineFeeds(text: string): number {
  // Not indexOf: output such as that of `yes` has a LF every other byte, and a call for each takes ten times as long.
  let count = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) === LF) count++;
  return count;
}
