import { setImmediate } from "node:timers/promises";

/** Maximum milliseconds of work without a pause for the event loop. */
const maxRunMs = 5;

/** Pauses long synchronous work for the event loop: `if (breather.isDue) await breather.breathe()`. */
export class Breather {
  #startedAt: number = performance.now();

  get isDue(): boolean {
    return performance.now() - this.#startedAt >= maxRunMs;
  }

  /** Pauses for one turn of the event loop. */
  async breathe(): Promise<void> {
    await setImmediate();
    this.#startedAt = performance.now();
  }
}
