import { encodeJson } from "./jsonl.ts";
import type { LinePieces } from "./line-pieces.ts";

/** Bytes at first; doubled when they are full. */
const startCapacity = 1024;
/** Bytes that one UTF-16 unit can take. */
const maxUnitBytes = 3;

/**
 * The JSON of a string that grows at its end, as bytes, with what stands before it. Each piece of text is escaped once, so a long string
 * costs the same a piece from first to last. Bytes that were handed out never change: more come behind them, or go elsewhere.
 */
export class GrowingString {
  #bytes = Buffer.allocUnsafeSlow(startCapacity);
  #length = 0;
  /** The first half of a surrogate pair at the end: its JSON depends on what follows. */
  #half = "";

  /** @param start - JSON up to the text, with its quotation mark. */
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
   * @param end - What follows the text, with its quotation mark.
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
