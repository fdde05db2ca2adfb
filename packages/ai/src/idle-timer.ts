/** Bytes that are not an event, such as pings, can extend the wait to at most this multiple of the timeout. */
const maxExtension = 3;

/**
 * Limits the time between two events of a stream. An event costs at most one reading of the clock: it does not reset the timer, which
 * checks the clock when it fires.
 */
export class IdleTimer {
  readonly #timeoutMs: number;
  readonly #onIdle: () => void;
  #lastEvent = performance.now();
  #deadline: number;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** @param timeoutMs - 0 for no limit. */
  constructor(timeoutMs: number, onIdle: () => void) {
    this.#timeoutMs = timeoutMs;
    this.#onIdle = onIdle;
    this.#deadline = this.#lastEvent + timeoutMs;
    if (timeoutMs > 0) this.#wait();
  }

  /** Whether the timeout was reached. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Call this when an event has arrived. */
  restart(): void {
    if (this.#timer === undefined) return;
    this.#lastEvent = performance.now();
    this.#deadline = this.#lastEvent + this.#timeoutMs;
  }

  /** Call this when bytes have arrived that may not complete an event. */
  extend(): void {
    if (this.#timer === undefined) return;
    this.#deadline = Math.min(performance.now() + this.#timeoutMs, this.#lastEvent + maxExtension * this.#timeoutMs);
  }

  /** Stops the timer. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(): void {
    this.#timer = setTimeout(
      () => {
        if (performance.now() < this.#deadline) return this.#wait();
        this.#isOver = true;
        this.#onIdle();
      },
      Math.max(1, Math.ceil(this.#deadline - performance.now())),
    );
  }
}
