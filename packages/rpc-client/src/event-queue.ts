export interface EventQueueOptions {
  /** The queue is full when more values than this wait. */
  maxWaiting: number;
  /** Called when the value of `isFull` changes. */
  onFullChange: () => void;
  /** Called once, when the queue accepts no more values: after `end`, or when the reader stops, for example with `break`. */
  onEnd: () => void;
}

/** The iterator for `for await`. TypeScript before 5.6 has no type for an async iterator with a return type. */
export interface EventIterator<T> extends AsyncIterator<T, undefined, undefined> {
  /** Ends the iteration and drops the waiting values. */
  return(): Promise<IteratorResult<T, undefined>>;
  [Symbol.asyncIterator](): this;
}

/** A queue between a producer that pushes values and a reader that iterates. It reports when it is full, but never rejects a value. */
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
   * Whether the reader is behind. True when more than `maxWaiting` values wait, until at most half of `maxWaiting` wait. Always false before
   * the first `next()`: an iterator that is never read must not block the others.
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

  /** Ends the queue. The reader still gets the waiting values; then the iteration ends, or throws `error` once. */
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

  /** Advances an index, and copies the array only when half of it is read: `shift` would move a long array for each value. */
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
