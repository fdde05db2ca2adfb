import { setImmediate as nextTurn } from "node:timers/promises";

/** Pauses a long computation between its pieces, for other work of the process. */
export class Pacer {
  readonly #maxBlockMs: number;
  readonly #signal: AbortSignal;
  #turnStartedAt = performance.now();

  /** @param maxBlockMs - Maximum milliseconds without a pause. Default 8. */
  constructor(signal: AbortSignal, maxBlockMs = 8) {
    this.#signal = signal;
    this.#maxBlockMs = maxBlockMs;
  }

  /**
   * Pauses if it is time to; called after each piece.
   *
   * @throws The reason of the abort signal.
   */
  async pause(): Promise<void> {
    if (performance.now() - this.#turnStartedAt < this.#maxBlockMs) return;
    await nextTurn();
    this.#signal.throwIfAborted();
    this.#turnStartedAt = performance.now();
  }
}
