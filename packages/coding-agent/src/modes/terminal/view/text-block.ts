import type { Block } from "../block.ts";
import type { Theme } from "../theme/theme.ts";
import { canRender, loadMarkdown, MarkdownRenderer, type MarkdownTransform } from "./markdown.ts";
import { type MarkdownPart, MarkdownStream } from "./markdown-stream.ts";

/** A Markdown text that streams. Its complete parts are finished lines. It shows nothing until the renderer is loaded, see `markdownLoaded`. */
export class TextBlock implements Block {
  readonly #stream = new MarkdownStream();
  readonly #renderer: MarkdownRenderer;
  #parts: MarkdownPart[] = [];
  #isDone = false;
  /** The lines of the unfinished part, until the text or the width changes. */
  #preview: { width: number; lines: string[] } | undefined;

  /** @param transform - Changes each part before it is rendered. */
  constructor(theme: Theme, transform?: MarkdownTransform) {
    this.#renderer = new MarkdownRenderer(theme, transform);
    void loadMarkdown();
  }

  get isDone(): boolean {
    return this.#isDone && canRender();
  }

  add(text: string): void {
    if (this.#isDone) return;
    const parts = this.#stream.push(text);
    if (parts.length > 0) this.#parts.push(...parts);
    this.#preview = undefined;
  }

  end(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#parts.push(...this.#stream.end());
    this.#preview = undefined;
  }

  takeFinished(width: number): string[] {
    if (this.#parts.length === 0 || !canRender()) return [];
    const lines = this.#renderer.render(this.#parts.splice(0), width);
    this.#preview = undefined;
    return lines;
  }

  render(width: number): string[] {
    if (!canRender()) return [];
    if (this.#preview?.width !== width) {
      const parts = this.#isDone ? this.#parts : [...this.#parts, ...this.#stream.peek()];
      this.#preview = { width, lines: this.#renderer.preview(parts, width) };
    }
    return this.#preview.lines;
  }
}
