/** A question or a list that takes the place of the editor and gets the keys. */
export interface Panel {
  /** @param rows - The number of rows that are free. Further lines are cut off at the top. */
  render(width: number, rows: number): string[];
  /** @param key - One key as the terminal sent it, such as `\r`, or a pasted text between its marks. */
  handleKey(key: string): void;
  /** Whether it is not shown at the moment and gets no keys. Default: false. */
  readonly isHidden?: boolean;
}
