import { LineCutter } from "./line-cutter.ts";
import { type MarkdownPart, MarkdownSplitter } from "./markdown-splitter.ts";

export type { MarkdownPart } from "./markdown-splitter.ts";

/**
 * Splits a Markdown text that arrives in pieces into parts that no later text can change, such as a paragraph, an item of a list or some lines
 * of code. The parts depend only on the text, not on its pieces. The time is linear, and only the unfinished part is held.
 */
export class MarkdownStream {
  readonly #lines = new LineCutter();
  readonly #splitter = new MarkdownSplitter();

  /** Returns the parts that are complete with this piece of the text. */
  push(piece: string): MarkdownPart[] {
    const lines = this.#lines.push(piece);
    if (lines.length === 0) return [];
    for (const line of lines) this.#splitter.add(line);
    return this.#splitter.take();
  }

  /** Returns the rest of the text as parts. */
  end(): MarkdownPart[] {
    for (const line of this.#lines.end()) this.#splitter.add(line);
    this.#splitter.end();
    return this.#splitter.take();
  }

  /** Returns the parts that `end` would return now. */
  peek(): MarkdownPart[] {
    const splitter = this.#splitter.copy();
    if (this.#lines.rest !== "") splitter.add({ text: this.#lines.rest, isCut: false });
    splitter.end();
    return splitter.take();
  }
}
