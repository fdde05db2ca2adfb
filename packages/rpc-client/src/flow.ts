/**
 * Decides when the client reads the agent's output. Responses, events and frames share one pipe, so backpressure for a slow reader of
 * events stops all of them. While a call waits for its response, the client must keep reading: a reader that sends a command between two
 * events would wait forever otherwise. So reading pauses only while a reader is behind and no call waits.
 */
export class Flow {
  readonly #isBehind: () => boolean;
  #setReading: ((isReading: boolean) => void) | undefined;
  #awaited = 0;
  #isReading = true;

  /** @param isBehind - Whether more events wait for a reader than its maximum. */
  constructor(isBehind: () => boolean) {
    this.#isBehind = isBehind;
  }

  /** Attaches a new process, whose output is being read. */
  attach(setReading: (isReading: boolean) => void): void {
    this.#setReading = setReading;
    this.#isReading = true;
    this.update();
  }

  /** Call this when a reader falls behind or catches up. */
  update(): void {
    const isReading = this.#awaited > 0 || !this.#isBehind();
    if (isReading === this.#isReading) return;
    this.#isReading = isReading;
    this.#setReading?.(isReading);
  }

  /** Keeps reading while `work` waits for a record from the pipe. */
  async whileAwaiting<T>(work: () => Promise<T>): Promise<T> {
    this.#awaited += 1;
    this.update();
    try {
      return await work();
    } finally {
      this.#awaited -= 1;
      this.update();
    }
  }
}
