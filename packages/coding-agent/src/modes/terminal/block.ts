/**
 * A part of the conversation on the screen. Its finished lines are printed once into the scrollback; the others are in the live region, and are
 * drawn again when they change. Lines have no line breaks, and are at most `width` cells wide; text from outside has no control characters
 * except the colours of the theme.
 */
export interface Block {
  /** Whether no line will change or be added. */
  readonly isDone: boolean;
  /** Takes the finished lines that were not taken before, from the top. When the block is done, it returns all that are left. */
  takeFinished(width: number): string[];
  /** The lines that were not taken. */
  render(width: number): string[];
}

/** The lines of a block that are printed all at once, when it is done. */
export class WholeLines {
  #isTaken = false;

  /** For `takeFinished` of the block. */
  take(isDone: boolean, lines: () => string[]): string[] {
    if (!isDone || this.#isTaken) return [];
    this.#isTaken = true;
    return lines();
  }

  /** For `render` of the block. */
  rest(lines: () => string[]): string[] {
    return this.#isTaken ? [] : lines();
  }
}

/** A block that does not change. */
export function finishedBlock(render: (width: number) => string[]): Block {
  const whole = new WholeLines();
  return {
    isDone: true,
    takeFinished: (width) => whole.take(true, () => render(width)),
    render: (width) => whole.rest(() => render(width)),
  };
}
