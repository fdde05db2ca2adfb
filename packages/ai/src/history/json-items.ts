const smallestChunk = 8 * 1024;
const largestChunk = 1024 ** 2;
/** The number of items that become one text, so that the texts stay short. */
const itemsPerText = 64;

/** The JSON texts of items as UTF-8, each followed by a comma. Grows at its end; what is there never changes. */
export class JsonItems {
  readonly #chunks: Buffer[] = [];
  /** The bytes of the last chunk that are in use. */
  #used = 0;
  #byteLength = 0;

  get byteLength(): number {
    return this.#byteLength;
  }

  /** The bytes so far, in order. */
  get pieces(): readonly Uint8Array[] {
    const last = this.#chunks.length - 1;
    return this.#chunks.map((chunk, index) => (index === last ? chunk.subarray(0, this.#used) : chunk));
  }

  add(items: readonly unknown[]): void {
    for (let at = 0; at < items.length; at += itemsPerText) {
      this.#write(`${JSON.stringify(items.slice(at, at + itemsPerText)).slice(1, -1)},`);
    }
  }

  #write(text: string): void {
    const length = Buffer.byteLength(text);
    const last = this.#chunks.at(-1);
    if (last && last.length - this.#used >= length) {
      this.#used += last.write(text, this.#used);
    } else {
      // A filled chunk is cut to what is in use: it shares the memory.
      if (last) this.#chunks[this.#chunks.length - 1] = last.subarray(0, this.#used);
      const chunk = Buffer.allocUnsafeSlow(Math.max(length, smallestChunk, Math.min(largestChunk, this.#byteLength >> 2)));
      this.#chunks.push(chunk);
      this.#used = chunk.write(text);
    }
    this.#byteLength += length;
  }
}
