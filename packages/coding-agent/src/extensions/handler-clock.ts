/** Milliseconds that work may continue after its signal was aborted. */
const abortGraceMs = 2000;

/** The time limit of a handler. The clock stops while the handler waits for the user. */
export class HandlerClock {
  readonly #controller = new AbortController();
  #waits = 0;
  #startedAt = performance.now();
  #leftMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #expired = Promise.withResolvers<never>();

  constructor(limitMs: number) {
    this.#leftMs = limitMs;
    this.#expired.promise.catch(() => {}); // `limit` may have settled before
  }

  /** Aborted when the time limit is reached, or with the signal given to `limit`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits for `question` without counting the time. */
  async whileAsking<T>(question: Promise<T>): Promise<T> {
    this.#waits += 1;
    if (this.#waits === 1) this.#pause();
    try {
      return await question;
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0) this.#run();
    }
  }

  /**
   * Waits for the work until the time limit. A later result is ignored.
   *
   * @throws {Error} When the time limit is reached, or the work still runs 2 seconds after `signal` was aborted.
   */
  async limit<T>(work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    const limitMs = this.#leftMs;
    const onAbort = () => {
      this.#controller.abort(signal?.reason);
      this.#stop();
      this.#timer = setTimeout(
        () => this.#expired.reject(new Error("It did not stop after its signal was aborted, and is no longer awaited.")),
        abortGraceMs,
      );
    };
    if (signal?.aborted) onAbort();
    else if (Number.isFinite(limitMs)) this.#run();
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#onExpired = () => {
      const error = new Error(`It did not finish in ${limitMs / 1000} s, and is no longer awaited.`);
      this.#expired.reject(error);
      this.#controller.abort(error);
    };
    try {
      return await Promise.race([work(), this.#expired.promise]);
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#stop();
    }
  }

  #onExpired: (() => void) | undefined;
  #isStopped = false;

  #run(): void {
    if (this.#isStopped || !Number.isFinite(this.#leftMs)) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => this.#onExpired?.(), Math.max(0, this.#leftMs));
  }

  #pause(): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#startedAt;
  }

  #stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
