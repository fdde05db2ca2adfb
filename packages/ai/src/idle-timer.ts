/** By how much signs of life that are no events may extend the wait for the next event. */
const maxExtension = 3;

/**
 * Watches over the time between two events of a stream. Keeping time costs an event a reading of the clock at most: the timer is
 * not set anew, but looks at the clock when it fires.
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

  /** Whether the time ran out. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** An event has come. */
  restart(): void {
    if (this.#timer === undefined) return;
    this.#lastEvent = performance.now();
    this.#deadline = this.#lastEvent + this.#timeoutMs;
  }

  /** Bytes have come; whether they are an event is not known yet, or they are none. */
  extend(): void {
    if (this.#timer === undefined) return;
    this.#deadline = Math.min(performance.now() + this.#timeoutMs, this.#lastEvent + maxExtension * this.#timeoutMs);
  }

  /** Ends the watch. */
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
