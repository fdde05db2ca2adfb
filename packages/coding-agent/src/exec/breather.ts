import { setImmediate } from "node:timers/promises";

/** Maximum milliseconds of work without a pause for the event loop. */
const maxRunMs = 5;

/** Pauses long synchronous work for the event loop: `if (breather.isDue) await breather.breathe()`. */
export class Breather {
  #startedAt: number = uptimeMs();

  get isDue(): boolean {
    return uptimeMs() - this.#startedAt >= maxRunMs;
  }

  /** Pauses for one turn of the event loop. */
  async breathe(): Promise<void> {
    await setImmediate();
    this.#startedAt = uptimeMs();
  }
}

/** In place of `performance`, whose first use loads more of Node than a start needs. */
function uptimeMs(): number {
  return process.uptime() * 1000;
}
