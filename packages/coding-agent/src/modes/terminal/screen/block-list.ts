import type { Block } from "../block.ts";

/** Blocks in the order in which they are shown, with an empty line before each. */
export class BlockList {
  readonly #waiting: { block: Block; hasBegun: boolean }[] = [];

  add(block: Block): void {
    this.#waiting.push({ block, hasBegun: false });
  }

  /** Whether all lines of all blocks were taken. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Takes the lines that can be printed: the finished ones of the first blocks, up to the first line that may still change. */
  takeFinished(width: number): string[] {
    const lines: string[] = [];
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      // Asked before, because a block that ends while its lines are taken has more of them.
      const { isDone } = first.block;
      const taken = first.block.takeFinished(width);
      if (taken.length > 0 && !first.hasBegun) {
        first.hasBegun = true;
        lines.push("");
      }
      // One by one: a block may have more lines than a call can have arguments.
      for (const line of taken) lines.push(line);
      if (!isDone) break;
      this.#waiting.shift();
    }
    return lines;
  }

  /**
   * The lines that may still change.
   *
   * @param most - The number of lines that are wanted, the last ones. Blocks above them are not rendered.
   */
  render(width: number, most: number): string[] {
    let lines: string[] = [];
    for (const { block, hasBegun } of this.#waiting.toReversed()) {
      if (lines.length >= most) break;
      const own = block.render(width);
      if (own.length > 0) lines = [...(hasBegun ? [] : [""]), ...own, ...lines];
    }
    return lines.slice(Math.max(0, lines.length - most));
  }
}
