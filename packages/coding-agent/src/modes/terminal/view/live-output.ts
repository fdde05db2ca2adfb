import { cutLine, toSafeText } from "../lines.ts";
import type { Theme } from "../theme/theme.ts";
import { lastLines } from "./some-lines.ts";

/** The number of lines that are shown, and the length in UTF-16 units that is kept for them. */
const liveLines = 5;
const keptLength = 16_384;

/** The end of the output of a running command. */
export class LiveOutput {
  #text = "";

  add(chunk: string): void {
    this.#text += chunk.slice(-keptLength);
    // Not with each chunk, because that would copy the output each time.
    if (this.#text.length > 2 * keptLength) this.#text = this.#text.slice(-keptLength);
  }

  /** Replaces the output. */
  set(text: string): void {
    this.#text = text.slice(-keptLength);
  }

  /** The last lines, each cut to the width. */
  render(width: number, theme: Theme): string[] {
    return lastLines(this.#text, liveLines).lines.map((line) => theme.dim(cutLine(toSafeText(line), width)));
  }
}
