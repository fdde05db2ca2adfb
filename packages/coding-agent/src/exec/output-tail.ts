import { defaultOutputLimits, type OutputLimits } from "./output-limits.ts";

const LF = 0x0a;

/** The end of an output, and the totals of the whole output. */
export interface TailSnapshot {
  text: string;
  /** Whether output before `text` was dropped. */
  truncated: boolean;
  /** The limit that was reached first, from the end; null if nothing was dropped. */
  truncatedBy: "lines" | "bytes" | null;
  /** Whether `text` begins inside a line, because the last line alone exceeds the byte limit. */
  startsMidLine: boolean;
  /** Lines of the whole output; a final LF ends the last line and does not start another. */
  totalLines: number;
  /** UTF-8 bytes of the whole output. */
  totalBytes: number;
  /** Lines of `text`. */
  outputLines: number;
  /** UTF-8 bytes of `text`. */
  outputBytes: number;
}

/** Keeps the last lines of an output of any length in bounded memory (about twice the byte limit). */
export class OutputTail {
  readonly #limits: OutputLimits;
  /** UTF-8 bytes, because the limit is in bytes. */
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

  /** Whether the output exceeds a limit. */
  get truncated(): boolean {
    return this.#totalBytes > this.#limits.maxBytes || this.totalLines > this.#limits.maxLines;
  }

  /** Returns the end of the output so far. */
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
    // One more byte than the limit is kept: if it is a LF, the cut is at the start of a line.
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
  // The last line, with or without its LF, exceeds the limit: its end is kept. The cut is at a character, not inside its UTF-8 bytes.
  while (((held[start] ?? 0) & 0xc0) === 0x80) start++;
  return { start, startsMidLine: true };
}

function lineLimitStart(held: Buffer, maxLines: number): number {
  // The search starts before the last byte, because a final LF does not start a line.
  let position = held.length - 1;
  for (let line = 0; line < maxLines; line++) {
    if (position <= 0) return 0;
    position = held.lastIndexOf(LF, position - 1);
    if (position === -1) return 0;
  }
  return position + 1;
}

function countLineFeeds(bytes: Uint8Array): number {
  // A loop is ten times as fast as indexOf for output such as that of `yes`, where every other byte is a LF.
  let count = 0;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === LF) count++;
  return count;
}
