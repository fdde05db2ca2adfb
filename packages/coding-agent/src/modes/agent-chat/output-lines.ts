/** Maximum length of a line in characters; a longer one is split. */
const maxLineLength = 64 * 1024;

/** Splits the output of one stream of a command into lines as it arrives. */
export class OutputLines {
  readonly #onLine: (line: string) => void;
  #held = "";

  /** @param onLine - Called with each line, without the line end. */
  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  add(text: string): void {
    const lines = text.split("\n");
    lines[0] = this.#held + lines[0];
    this.#held = lines.pop() ?? "";
    for (const line of lines) this.#onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
    for (; this.#held.length > maxLineLength; this.#held = this.#held.slice(maxLineLength)) {
      this.#onLine(this.#held.slice(0, maxLineLength));
    }
  }

  /** Ends the output: the rest is the last line. */
  end(): void {
    if (this.#held !== "") this.#onLine(this.#held);
    this.#held = "";
  }
}
