// biome-ignore lint/correctness/noUndeclaredDependencies: vitest is the root's, here as in every test.
import { onTestFinished, vi } from "vitest";

/** A clock that stands still but for what the test lets pass. */
export interface HeldClock {
  /** Lets so many milliseconds pass; what is due by then is called before this returns. */
  pass(ms: number): void;
  /** How many timers are set. */
  readonly timers: number;
}

/**
 * Gives the timers of this thread such a clock until the test is over: `setTimeout`, `setInterval` and `performance.now`, for what is set
 * from now on. So no limit can run out before what the test waits for has come, however slow the machine is. What does not go by these
 * is not held: other processes, `node:timers/promises`, `AbortSignal.timeout`.
 */
export function holdClock(): HeldClock {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  return {
    pass: (ms) => void vi.advanceTimersByTime(ms),
    get timers() {
      return vi.getTimerCount();
    },
  };
}
