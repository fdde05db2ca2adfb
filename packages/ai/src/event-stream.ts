/**
 * An ordered stream of events with a result. The producer calls `push` any number of times, then `end` or `fail`; later calls are
 * ignored.
 *
 * Any number of consumers may iterate. Each event goes to exactly one of them, and unread events stay readable after the end.
 * `result()` is independent of iteration.
 */
export class EventStream<TEvent, TResult> implements AsyncIterable<TEvent> {
  /** Unread events start at `#head`. A moving head makes taking an event O(1), however many are unread. */
  #waiting: TEvent[] = [];
  #head = 0;
  #takers: { resolve: (result: IteratorResult<TEvent>) => void; reject: (error: unknown) => void }[] = [];
  #settled: { ok: true } | { ok: false; error: unknown } | undefined;
  #result = Promise.withResolvers<TResult>();

  constructor() {
    // Without this, a failed stream whose `result()` is never used would cause an unhandled rejection.
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

  /** Ends the stream: iterators end after the unread events, and `result()` resolves. */
  end(result: TResult): void {
    if (this.#settled) return;
    this.#settled = { ok: true };
    this.#result.resolve(result);
    for (const taker of this.#takers.splice(0)) taker.resolve({ value: undefined, done: true });
  }

  /** Ends the stream with an error: iterators throw it after the unread events, and `result()` rejects. */
  fail(error: unknown): void {
    if (this.#settled) return;
    this.#settled = { ok: false, error };
    this.#result.reject(error);
    for (const taker of this.#takers.splice(0)) taker.reject(error);
  }

  /** Resolves with the value given to `end`; rejects with the error given to `fail`. */
  result(): Promise<TResult> {
    return this.#result.promise;
  }

  /**
   * Takes all unread events, in order. Waits for an event if there is none; returns an empty list when the stream has ended. Consumers of
   * long streams need one promise per network read, instead of one per event.
   */
  async takeWaiting(): Promise<TEvent[]> {
    const first = await this.#take();
    if (first.done) return [];
    // Includes the events that were pushed before this continuation ran.
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
      this.#waiting[this.#head] = undefined as TEvent; // frees the memory of the event
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
