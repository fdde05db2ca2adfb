/** Keeps the end of a text of any length. */
export class TextTail {
  readonly #utf8 = new TextDecoder();
  readonly #maxLength: number;
  #text = "";

  /** @param maxLength - In characters. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  push(chunk: Uint8Array): void {
    this.#text = (this.#text + this.#utf8.decode(chunk, { stream: true })).slice(-this.#maxLength);
  }

  get text(): string {
    return this.#text;
  }
}
