import { setImmediate } from "node:timers/promises";

/** How long work may keep the event loop to itself. */
const maxRunMs = 5;

/** Lets long synchronous work step aside now and then: `if (breather.isDue) await breather.breathe()`. */
export class Breather {
  #startedAt: number = performance.now();

  get isDue(): boolean {
    return performance.now() - this.#startedAt >= maxRunMs;
  }

  /** Lets everything else that waits have its turn. */
  async breathe(): Promise<void> {
    await setImmediate();
    this.#startedAt = performance.now();
  }
}
