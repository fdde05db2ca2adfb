import { defaultOutputLimits, type OutputLimits } from "./output-limits.ts";

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
  /** UTF-8, so that cutting needs no encoding back and forth. */
  #pieces: Buffer[] = [];
  #heldBytes = 0;
  #totalBytes = 0;
  #lineFeeds = 0;
  #endsInLineFeed = true;

  constructor(limits: OutputLimits = defaultOutputLimits) {
    this.#limits = limits;
  }

  append(text: string): void {
    if (text === "") return;
    const bytes = Buffer.from(text);
    this.#totalBytes += bytes.length;
    this.#lineFeeds += countLineFeeds(bytes);
    this.#endsInLineFeed = bytes.at(-1) === LF;
    this.#pieces.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > 2 * this.#limits.maxBytes) this.#dropOldPieces();
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
    const held = Buffer.concat(this.#pieces);
    const totals = { totalLines: this.totalLines, totalBytes: this.#totalBytes };
    if (!this.truncated) {
      const shown = { outputLines: totals.totalLines, outputBytes: totals.totalBytes };
      return { text: held.toString(), truncated: false, truncatedBy: null, startsMidLine: false, ...totals, ...shown };
    }
    const byBytes = byteLimitStart(held, this.#limits.maxBytes);
    const byLines = lineLimitStart(held, this.#limits.maxLines);
    const shown = held.subarray(Math.max(byBytes.start, byLines));
    return {
      text: shown.toString(),
      truncated: true,
      truncatedBy: byBytes.start > byLines ? "bytes" : "lines",
      startsMidLine: byBytes.startsMidLine && byBytes.start > byLines,
      ...totals,
      outputLines: countLineFeeds(shown) + (shown.at(-1) === LF ? 0 : 1),
      outputBytes: shown.length,
    };
  }

  #dropOldPieces(): void {
    // One byte beyond the limit is kept: whether it is a LF says whether the cut is at a line's start.
    const kept = this.#limits.maxBytes + 1;
    let first = 0;
    for (; this.#heldBytes - (this.#pieces[first]?.length ?? 0) >= kept; first++)
      this.#heldBytes -= this.#pieces[first]?.length ?? 0;
    this.#pieces = this.#pieces.slice(first);
  }
}

function byteLimitStart(held: Buffer, maxBytes: number): { start: number; startsMidLine: boolean } {
  let start = Math.max(0, held.length - maxBytes);
  if (start === 0 || held[start - 1] === LF) return { start, startsMidLine: false };
  const lineEnd = held.indexOf(LF, start);
  if (lineEnd !== -1 && lineEnd < held.length - 1) return { start: lineEnd + 1, startsMidLine: false };
  // The last line, with or without its LF, is longer than the limit: a piece of it says more than nothing. It begins with a whole
  // character, not with the continuation bytes of one.
  while (((held[start] ?? 0) & 0xc0) === 0x80) start++;
  return { start, startsMidLine: true };
}

function lineLimitStart(held: Buffer, maxLines: number): number {
  // Searching from before the last byte skips a final LF, which begins no line.
  let position = held.length - 1;
  for (let line = 0; line < maxLines; line++) {
    if (position <= 0) return 0;
    position = held.lastIndexOf(LF, position - 1);
    if (position === -1) return 0;
  }
  return position + 1;
}

function countLineFeeds(bytes: Uint8Array): number {
  // Not indexOf: output such as that of `yes` has a LF every other byte, and a call for each takes ten times as long.
  let count = 0;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === LF) count++;
  return count;
}
