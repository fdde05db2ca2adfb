type Write = typeof process.stdout.write;

/** Maximum characters of a line that others have not ended. */
const maxHeld = 10_000;

/**
 * Catches what others write to stdout and stderr, such as the `console.log` of an extension or a warning of Node: it would land in the middle of the
 * screen.
 */
export class StrayOutput {
  readonly #onLine: (line: string) => void;
  readonly #originals = new Map<NodeJS.WriteStream, Write>();
  #held = "";

  /** @param onLine - Called with each line. */
  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Writes past this catcher. */
  write(text: string): void {
    const { stdout } = process;
    (this.#originals.get(stdout) ?? stdout.write).call(stdout, text);
  }

  start(): void {
    for (const stream of [process.stdout, process.stderr]) {
      if (this.#originals.has(stream)) continue;
      this.#originals.set(stream, stream.write);
      stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
        this.#take(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
        const done = rest.findLast((each): each is () => void => typeof each === "function");
        if (done) process.nextTick(done);
        return true;
      }) as Write;
    }
  }

  /** Lets others write again. */
  stop(): void {
    for (const [stream, write] of this.#originals) stream.write = write;
    this.#originals.clear();
    if (this.#held !== "") this.#onLine(this.#held);
    this.#held = "";
  }

  #take(text: string): void {
    const lines = `${this.#held}${text}`.split("\n");
    this.#held = lines.pop() ?? "";
    for (const line of lines) this.#onLine(line);
    if (this.#held.length > maxHeld) {
      this.#onLine(this.#held);
      this.#held = "";
    }
  }
}
