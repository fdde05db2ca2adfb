/**
 * Decides when the agent's output is read. Responses, events and frames share one pipe, so a reader of events that is behind can only be
 * waited for by leaving everything unread. That must not be while the program waits for something that is still in the pipe: a reader
 * that asks the agent a question between two events would wait for ever. So output stays unread while a reader is behind, and nothing else
 * is awaited.
 */
export class Flow {
  readonly #isBehind: () => boolean;
  #setReading: ((isReading: boolean) => void) | undefined;
  #awaited = 0;
  #isReading = true;

  /** @param isBehind - Whether a reader has more waiting than it allows. */
  constructor(isBehind: () => boolean) {
    this.#isBehind = isBehind;
  }

  /** Begins with a new process, which is being read. */
  attach(setReading: (isReading: boolean) => void): void {
    this.#setReading = setReading;
    this.#isReading = true;
    this.update();
  }

  /** To be called when a reader falls behind or catches up. */
  update(): void {
    const isReading = this.#awaited > 0 || !this.#isBehind();
    if (isReading === this.#isReading) return;
    this.#isReading = isReading;
    this.#setReading?.(isReading);
  }

  /** Waits for something that comes through the pipe. */
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
