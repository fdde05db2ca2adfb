import xterm from "@xterm/headless";

/** A terminal in memory, which shows what a real one would: screen, scrollback, reflow, cursor. */
export class VirtualTerminal {
  readonly #terminal: InstanceType<typeof xterm.Terminal>;
  /** All that was written. */
  written = "";
  #settled: Promise<void> = Promise.resolve();

  constructor({ columns = 80, rows = 24 }: { columns?: number; rows?: number } = {}) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
  }

  get columns(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  write(text: string): void {
    this.written += text;
    this.#settled = new Promise((resolve) => this.#terminal.write(text, resolve));
  }

  /** Takes effect after all that was written. */
  async resize(columns: number, rows: number): Promise<void> {
    await this.#settled;
    this.#terminal.resize(columns, rows);
  }

  /** Calls `answer` with each answer of the terminal to a query. */
  onAnswer(answer: (text: string) => void): void {
    this.#terminal.onData(answer);
  }

  /** The lines of scrollback and screen, rows that were wrapped joined, without the empty ones at the end. */
  async lines(): Promise<string[]> {
    await this.#settled;
    const buffer = this.#terminal.buffer.active;
    const lines: string[] = [];
    for (let row = 0; row < buffer.length; row += 1) {
      const line = buffer.getLine(row);
      const isWrapped = line?.isWrapped === true && lines.length > 0;
      const next = buffer.getLine(row + 1);
      // The last cell of a row is left empty when a wide character does not fit into it.
      const isCut = next?.isWrapped === true && line?.getCell(this.columns - 1)?.getCode() === 0;
      const text = line?.translateToString(next?.isWrapped !== true, 0, isCut ? this.columns - 1 : undefined) ?? "";
      if (isWrapped) lines.push(`${lines.pop()}${text}`);
      else lines.push(text);
    }
    while (lines.at(-1)?.trim() === "") lines.pop();
    return lines.map((line) => line.trimEnd());
  }

  /** The rows of the screen as they are seen. */
  async screen(): Promise<string[]> {
    await this.#settled;
    const buffer = this.#terminal.buffer.active;
    return Array.from({ length: this.rows }, (_, row) => buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? "");
  }

  /** The cell of the cursor on the screen, from 0. */
  async cursor(): Promise<{ row: number; column: number }> {
    await this.#settled;
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { row: cursorY, column: cursorX };
  }

  dispose(): void {
    this.#terminal.dispose();
  }
}
