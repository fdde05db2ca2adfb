import { matchesKey } from "../library.ts";
import { cutLine, toSafeLines, wrapHanging, wrapPlain } from "../lines.ts";
import type { Theme } from "../theme/theme.ts";

/** Maximum characters of a text. The user sees how many are left out. */
const maxText = 200_000;

export interface ScrolledTextOptions {
  /** Returns the style of a line. Default: none. */
  style?: ((line: string) => (text: string) => string) | undefined;
  /** Whether lines that begin with spaces are rows of a table. Default false. */
  isTable?: boolean;
}

/** A text that scrolls if it has more lines than there are rows. Nothing is cut without a sign. */
export class ScrolledText {
  readonly #theme: Theme;
  readonly #lines: readonly string[];
  readonly #wrapLine: (line: string, width: number) => string[];
  readonly #style: (line: string) => (text: string) => string;
  #wrapped: { width: number; lines: readonly string[] } = { width: 0, lines: [] };
  #top = 0;
  #page = 1;
  #total = 0;

  /** @param given - The text. Extensions may give other values. */
  constructor(theme: Theme, given: string, { style = () => (piece) => piece, isTable = false }: ScrolledTextOptions = {}) {
    this.#theme = theme;
    this.#style = style;
    this.#wrapLine = isTable ? wrapHanging : wrapPlain;
    const text = String(given);
    const left = text.length - maxText;
    this.#lines = toSafeLines(left > 0 ? `${text.slice(0, maxText)}\n… ${left} more characters …` : text);
  }

  /** At most `rows` lines. If the text does not cutLine, the last one says which lines are shown. */
  render(width: number, rows: number): string[] {
    const lines = this.#wrap(width);
    this.#total = lines.length;
    if (lines.length <= rows) {
      this.#page = Math.max(1, rows);
      this.#top = 0;
      return [...lines];
    }
    this.#page = Math.max(1, rows - 1);
    this.#top = Math.max(0, Math.min(this.#top, lines.length - this.#page));
    const shown = lines.slice(this.#top, this.#top + this.#page);
    const place = `lines ${this.#top + 1} to ${this.#top + shown.length} of ${lines.length} · PageUp, PageDown`;
    return [...shown, this.#theme.dim(cutLine(place, width))];
  }

  /** Scrolls. Returns whether the key was one for that. */
  handleKey(key: string): boolean {
    if (matchesKey(key, "pageUp")) this.#top -= this.#page;
    else if (matchesKey(key, "pageDown")) this.#top += this.#page;
    else if (matchesKey(key, "up")) this.#top -= 1;
    else if (matchesKey(key, "down")) this.#top += 1;
    else if (matchesKey(key, "home")) this.#top = 0;
    else if (matchesKey(key, "end")) this.#top = this.#total;
    else return false;
    this.#top = Math.max(0, Math.min(this.#top, this.#total - this.#page));
    return true;
  }

  #wrap(width: number): readonly string[] {
    if (this.#wrapped.width !== width) {
      const lines = this.#lines.flatMap((line) => this.#wrapLine(line, width).map(this.#style(line)));
      this.#wrapped = { width, lines };
    }
    return this.#wrapped.lines;
  }
}
