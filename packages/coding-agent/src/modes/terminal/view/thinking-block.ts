import type { Block } from "../block.ts";
import { cutLine, formatSeconds, toSafeLine, toSafeText, wrap } from "../lines.ts";
import type { Theme } from "../theme/theme.ts";
import { LineCutter } from "./line-cutter.ts";

/** The number of lines that are shown while the thinking streams, if it is folded. */
const liveLines = 3;
/** Length in UTF-16 units that surely fills the live lines. */
const tailLength = 4000;

export interface ThinkingOptions {
  theme: Theme;
  /** Whether the whole text is shown. Read each time the block is drawn. */
  isFull(): boolean;
  /** The text of an extension for thinking that is folded; undefined for the usual one. */
  label?(): string | undefined;
  /** Milliseconds. */
  now(): number;
}

/** Thinking that streams: its last lines, and one line when it has ended; or all of it. */
export class ThinkingBlock implements Block {
  readonly #options: ThinkingOptions;
  readonly #lines = new LineCutter();
  readonly #startMs: number;
  /** Complete lines that were not taken. */
  #waiting: string[] = [];
  #head = "";
  #tail = "";
  #endMs: number | null | undefined;
  #hasPrinted = false;
  #isTaken = false;

  constructor(options: ThinkingOptions) {
    this.#options = options;
    this.#startMs = options.now();
  }

  get isDone(): boolean {
    return this.#endMs !== undefined;
  }

  add(text: string): void {
    if (this.isDone) return;
    if (this.#head.length < 200) this.#head += text.slice(0, 200);
    this.#tail += text;
    // Not with each delta, because that would copy the tail each time.
    if (this.#tail.length > 2 * tailLength) this.#tail = this.#tail.slice(-tailLength);
    for (const line of this.#lines.push(text)) this.#waiting.push(line.text.replace(/\n$/, ""));
  }

  /** @param ms - The duration; null if it is not known, as in a stored conversation. Default: since the beginning. */
  end(ms: number | null = this.#options.now() - this.#startMs): void {
    if (this.isDone) return;
    this.#endMs = ms;
    for (const line of this.#lines.end()) this.#waiting.push(line.text);
  }

  takeFinished(width: number): string[] {
    if (this.#isTaken) return [];
    if (!this.#options.isFull()) {
      if (!this.isDone) return [];
      this.#isTaken = true;
      return [this.#summary(width)];
    }
    // Blank lines at the end wait, because they are not shown if nothing follows.
    const last = this.#waiting.findLastIndex((line) => line.trim() !== "");
    const lines = this.#fullLines(this.#waiting.splice(0, last + 1), width);
    this.#hasPrinted ||= lines.length > 0;
    this.#isTaken = this.isDone;
    return lines;
  }

  render(width: number): string[] {
    if (this.#isTaken) return [];
    const { theme } = this.#options;
    if (this.#options.isFull()) return this.#fullLines([...this.#waiting, this.#lines.rest], width);
    if (this.isDone) return [this.#summary(width)];
    const lines = wrap(toSafeText(this.#tail).trimEnd(), width - 2, theme.dim).filter((line) => line !== "");
    const label = this.#options.label?.();
    if (label !== undefined) return [theme.dim(cutLine(toSafeLine(label), width))];
    return [theme.dim("Thinking"), ...lines.slice(-liveLines).map((line) => `  ${line}`)];
  }

  #fullLines(lines: readonly string[], width: number): string[] {
    const { theme } = this.#options;
    const shown: string[] = [];
    for (const line of lines) {
      // Blank lines at the beginning are not shown.
      if (line.trim() === "" && !this.#hasPrinted && shown.length === 0) continue;
      shown.push(...wrap(toSafeText(line).trimEnd(), width - 2, theme.dim).map((each) => (each === "" ? "" : `  ${each}`)));
    }
    while (shown.at(-1) === "") shown.pop();
    return shown;
  }

  #summary(width: number): string {
    const { theme, label } = this.#options;
    const own = label?.();
    if (own !== undefined) return theme.dim(cutLine(toSafeLine(own), width));
    const time = typeof this.#endMs === "number" && this.#endMs >= 1000 ? ` for ${formatSeconds(this.#endMs)}` : "";
    const words = toSafeLine(this.#head).replaceAll("**", "");
    return theme.dim(cutLine(`Thought${time}${words === "" ? "" : `: ${words}`}`, width));
  }
}
