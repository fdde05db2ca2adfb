export interface EventQueueOptions {
  /** How many values may wait before the queue counts as full. */
  maxWaiting: number;
  /** Called when the queue becomes full, and when it is no longer. */
  onFullChange: () => void;
  /** Called once, when nothing more is taken in: it was ended, or the reader has stopped reading, for example with `break`. */
  onEnd: () => void;
}

/** What `for await` reads. TypeScript before 5.6 has no name for an iterator that says what it ends with. */
export interface EventIterator<T> extends AsyncIterator<T, undefined, undefined> {
  /** Ends the iteration; what waits is dropped. */
  return(): Promise<IteratorResult<T, undefined>>;
  [Symbol.asyncIterator](): this;
}

/** Values that are pushed from one side and iterated on the other. What nobody has asked for yet waits; being full is told, not enforced. */
export class EventQueue<T> implements EventIterator<T> {
  readonly #options: EventQueueOptions;
  readonly #waiting: PromiseWithResolvers<IteratorResult<T, undefined>>[] = [];
  #values: T[] = [];
  #nextIndex = 0;
  #end: { error: Error | undefined } | undefined;
  #isBegun = false;
  #isFull = false;

  constructor(options: EventQueueOptions) {
    this.#options = options;
  }

  /**
   * Whether a reader is behind: more than `maxWaiting` values wait, or did and not half of them have been read since. Nobody is before the
   * first value was asked for: a reader that never comes must not hold up the others.
   */
  get isFull(): boolean {
    return this.#isFull;
  }

  push(value: T): void {
    if (this.#end !== undefined) return;
    const reader = this.#waiting.shift();
    if (reader !== undefined) {
      reader.resolve({ value, done: false });
      return;
    }
    this.#values.push(value);
    if (!this.#isFull) this.#updateFull();
  }

  /** What was pushed is still read; then the iteration ends, or throws `error` once. */
  end(error?: Error): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    for (const reader of this.#waiting.splice(0)) this.#settleAtEnd(reader);
    this.#updateFull();
    this.#options.onEnd();
  }

  next(): Promise<IteratorResult<T, undefined>> {
    this.#isBegun = true;
    const reader = Promise.withResolvers<IteratorResult<T, undefined>>();
    if (this.#nextIndex < this.#values.length) reader.resolve({ value: this.#take(), done: false });
    else if (this.#end === undefined) this.#waiting.push(reader);
    else this.#settleAtEnd(reader);
    this.#updateFull();
    return reader.promise;
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.#values = [];
    this.#nextIndex = 0;
    this.end();
    this.#end = { error: undefined };
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

  #updateFull(): void {
    const waiting = this.#values.length - this.#nextIndex;
    const { maxWaiting, onFullChange } = this.#options;
    const isFull = this.#isBegun && this.#end === undefined && waiting > (this.#isFull ? maxWaiting / 2 : maxWaiting);
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    onFullChange();
  }

  #settleAtEnd(reader: PromiseWithResolvers<IteratorResult<T, undefined>>): void {
    const error = this.#end?.error;
    this.#end = { error: undefined };
    if (error === undefined) reader.resolve({ value: undefined, done: true });
    else reader.reject(error);
  }
}
