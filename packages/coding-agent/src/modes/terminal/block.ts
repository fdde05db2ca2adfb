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

/** A block that does not change. */
export function finishedBlock(render: (width: number) => string[]): Block {
  let isTaken = false;
  return {
    isDone: true,
    takeFinished(width) {
      const lines = isTaken ? [] : render(width);
      isTaken = true;
      return lines;
    },
    render: (width) => (isTaken ? [] : render(width)),
  };
}
