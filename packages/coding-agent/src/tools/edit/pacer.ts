import { setImmediate as nextTurn } from "node:timers/promises";

/** Lets other work of the process go on between the pieces of a long computation. */
export class Pacer {
  readonly #maxBlockMs: number;
  readonly #signal: AbortSignal;
  #turnBeganAt = performance.now();

  /** @param maxBlockMs - How long a turn may last before `pause` ends it. Default 8. */
  constructor(signal: AbortSignal, maxBlockMs = 8) {
    this.#signal = signal;
    this.#maxBlockMs = maxBlockMs;
  }

  /**
   * To be called after each piece.
   *
   * @throws The abort's reason.
   */
  async pause(): Promise<void> {
    if (performance.now() - this.#turnBeganAt < this.#maxBlockMs) return;
    await nextTurn();
    this.#signal.throwIfAborted();
    this.#turnBeganAt = performance.now();
  }
}
