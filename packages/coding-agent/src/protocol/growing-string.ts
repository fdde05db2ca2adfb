import { encodeJson } from "./jsonl.ts";
import type { LinePieces } from "./line-pieces.ts";

/** First size of the buffer in bytes; doubled when it is full. */
const startCapacity = 1024;
/** Maximum bytes of one UTF-16 unit. */
const maxUnitBytes = 3;

/**
 * The JSON of a growing string as bytes, together with the JSON before it. Each delta is encoded once, so its cost does not depend on the
 * length of the string. Returned bytes never change: later bytes go behind them, or into a new buffer.
 */
export class GrowingString {
  #bytes = Buffer.allocUnsafeSlow(startCapacity);
  #length = 0;
  /** The first half of a surrogate pair at the end. Its JSON depends on the next character. */
  #half = "";

  /** @param start - The JSON before the text, including its quotation mark. */
  constructor(start: string) {
    this.#write(start);
  }

  append(text: string): void {
    const whole = this.#half + text;
    const last = whole.charCodeAt(whole.length - 1);
    const endsInHalf = last >= 0xd800 && last <= 0xdbff;
    this.#half = endsInHalf ? whole.slice(-1) : "";
    this.#write(encodeJson(endsInHalf ? whole.slice(0, -1) : whole).slice(1, -1));
  }

  /**
   * Adds the JSON so far to a line.
   *
   * @param end - The JSON after the text, including its quotation mark.
   */
  addTo(line: LinePieces, end: string): void {
    line.add(this.#bytes.subarray(0, this.#length));
    line.add(this.#half === "" ? end : encodeJson(this.#half).slice(1, -1) + end);
  }

  #write(json: string): void {
    const needed = this.#length + json.length * maxUnitBytes;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#length += this.#bytes.write(json, this.#length);
  }
}
