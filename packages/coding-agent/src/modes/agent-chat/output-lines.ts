/** Characters after which a line that has not ended is told in pieces. */
const maxLineLength = 64 * 1024;

/** Cuts the output of one stream of a command into lines, as it comes. */
export class OutputLines {
  readonly #tell: (line: string) => void;
  #held = "";

  /** @param tell - Told of each line without its end. */
  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  add(text: string): void {
    const lines = text.split("\n");
    lines[0] = this.#held + lines[0];
    this.#held = lines.pop() ?? "";
    for (const line of lines) this.#tell(line.endsWith("\r") ? line.slice(0, -1) : line);
    for (; this.#held.length > maxLineLength; this.#held = this.#held.slice(maxLineLength)) {
      this.#tell(this.#held.slice(0, maxLineLength));
    }
  }

  /** Nothing comes any more: what is left is a line. */
  end(): void {
    if (this.#held !== "") this.#tell(this.#held);
    this.#held = "";
  }
}
