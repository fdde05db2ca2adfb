/** Values that are pushed from one side and iterated on the other. What nobody has asked for yet waits. */
export class EventQueue<T> implements AsyncIterableIterator<T, undefined> {
  readonly #onReturn: () => void;
  readonly #waiting: PromiseWithResolvers<IteratorResult<T, undefined>>[] = [];
  #values: T[] = [];
  #nextIndex = 0;
  #end: { error: Error | undefined } | undefined;

  /** @param onReturn - Called when the reader stops reading, for example with `break`. */
  constructor(onReturn: () => void) {
    this.#onReturn = onReturn;
  }

  push(value: T): void {
    if (this.#end !== undefined) return;
    const reader = this.#waiting.shift();
    if (reader === undefined) this.#values.push(value);
    else reader.resolve({ value, done: false });
  }

  /** What was pushed is still read; then the iteration ends, or throws `error` once. */
  end(error?: Error): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    for (const reader of this.#waiting.splice(0)) this.#settleAtEnd(reader);
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const reader = Promise.withResolvers<IteratorResult<T, undefined>>();
    if (this.#nextIndex < this.#values.length) reader.resolve({ value: this.#take(), done: false });
    else if (this.#end === undefined) this.#waiting.push(reader);
    else this.#settleAtEnd(reader);
    return reader.promise;
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.#values = [];
    this.end();
    this.#onReturn();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Moves an index, and the values only when half of them are read: `shift` would move all of a long array each time. */
  #take(): T {
    const value = this.#values[this.#nextIndex] as T;
    this.#nextIndex += 1;
    if (this.#nextIndex * 2 >= this.#values.length) {
      this.#values = this.#values.slice(this.#nextIndex);
      this.#nextIndex = 0;
    }
    return value;
  }

  #settleAtEnd(reader: PromiseWithResolvers<IteratorResult<T, undefined>>): void {
    const error = this.#end?.error;
    this.#end = { error: undefined };
    if (error === undefined) reader.resolve({ value: undefined, done: true });
    else reader.reject(error);
  }
}
