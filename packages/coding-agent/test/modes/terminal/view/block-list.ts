import type { Block } from "../../../../src/modes/terminal/block.ts";
import { loadMarkdown } from "../../../../src/modes/terminal/view/markdown.ts";

// So that each text is drawn at once.
await loadMarkdown();

/** Draws blocks as the screen does: finished lines are printed once, the others are the live region; a blank line is between blocks. */
export class BlockList {
  readonly printed: string[] = [];
  readonly #width: number;
  #blocks: Block[] = [];
  /** The block whose lines were printed last. */
  #last: Block | undefined;

  constructor(width = 80) {
    this.#width = width;
  }

  add(...blocks: readonly Block[]): void {
    this.#blocks.push(...blocks);
  }

  /** Prints the finished lines, and returns all lines of the screen. */
  draw(): string {
    for (let [block] = this.#blocks; block; [block] = this.#blocks) {
      const lines = block.takeFinished(this.#width);
      if (lines.length > 0) {
        if (this.#last && this.#last !== block) this.printed.push("");
        this.#last = block;
        this.printed.push(...lines);
      }
      if (!block.isDone) break;
      this.#blocks.shift();
    }
    const live: string[] = [];
    let last = this.#last;
    for (const block of this.#blocks) {
      const lines = block.render(this.#width);
      if (lines.length > 0 && last && last !== block) live.push("");
      if (lines.length > 0) last = block;
      live.push(...lines);
    }
    return [...this.printed, ...live].join("\n");
  }
}
