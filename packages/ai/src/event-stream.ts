/**
 * An ordered stream of events with a result. One producer calls `push` any number of times, then `end` or `fail` once; later calls are
 * ignored, so a producer that is stopped from two sides settles once.
 *
 * Any number of consumers may iterate; each event goes to exactly one of them, and events that nobody has taken stay readable after
 * the end. `result()` is independent of iteration.
 */
export class EventStream<TEvent, TResult> implements AsyncIterable<TEvent> {
  /** Events that nobody has taken yet, from `#head` on; a moving head keeps taking O(1) with any backlog. */
  #waiting: TEvent[] = [];
  #head = 0;
  #takers: { resolve: (result: IteratorResult<TEvent>) => void; reject: (error: unknown) => void }[] = [];
  #settled: { ok: true } | { ok: false; error: unknown } | undefined;
  #result = Promise.withResolvers<TResult>();

  constructor() {
    // Nobody is obliged to ask for the result, and a failure that nobody asks for is not an unhandled rejection.
    this.#result.promise.catch(() => {});
  }

  /** Whether `end` or `fail` has been called. */
  get isSettled(): boolean {
    return this.#settled !== undefined;
  }

  push(event: TEvent): void {
    if (this.#settled) return;
    const taker = this.#takers.shift();
    if (taker) taker.resolve({ value: event, done: false });
    else this.#waiting.push(event);
  }

  /** Ends the stream: iterators finish once they have read what is waiting, and `result()` resolves. */
  end(result: TResult): void {
    if (this.#settled) return;
    this.#settled = { ok: true };
    this.#result.resolve(result);
    for (const taker of this.#takers.splice(0)) taker.resolve({ value: undefined, done: true });
  }

  /** Ends the stream with an error: iterators throw it once they have read what is waiting, and `result()` rejects. */
  fail(error: unknown): void {
    if (this.#settled) return;
    this.#settled = { ok: false, error };
    this.#result.reject(error);
    for (const taker of this.#takers.splice(0)) taker.reject(error);
  }

  /** The value given to `end`; rejects with the error given to `fail`. */
  result(): Promise<TResult> {
    return this.#result.promise;
  }

  /**
   * Takes everything that waits, in order, and waits where there is nothing. Empty when the stream has ended. For readers of long streams:
   * what one network read brings costs them one promise, not one for each event.
   */
  async takeWaiting(): Promise<TEvent[]> {
    const first = await this.#take();
    if (first.done) return [];
    // What was pushed until we got our turn goes along.
    const rest = this.#head === 0 ? this.#waiting : this.#waiting.slice(this.#head);
    this.#waiting = [];
    this.#head = 0;
    rest.unshift(first.value);
    return rest;
  }

  [Symbol.asyncIterator](): AsyncIterator<TEvent> {
    return { next: () => this.#take() };
  }

  #take(): Promise<IteratorResult<TEvent>> {
    if (this.#head < this.#waiting.length) {
      const value = this.#waiting[this.#head] as TEvent;
      this.#waiting[this.#head] = undefined as TEvent; // what has been read must not stay in memory
      this.#head += 1;
      if (this.#head === this.#waiting.length) {
        this.#waiting = [];
        this.#head = 0;
      }
      return Promise.resolve({ value, done: false });
    }
    if (this.#settled?.ok) return Promise.resolve({ value: undefined, done: true });
    if (this.#settled) return Promise.reject(this.#settled.error);
    return new Promise((resolve, reject) => this.#takers.push({ resolve, reject }));
  }
}
