// biome-ignore lint/correctness/noUndeclaredDependencies: vitest is the root's, here as in every test.
import { onTestFinished, vi } from "vitest";

/** A clock that goes on as always, and that a test moves on besides. */
export interface HeldClock {
  /** Lets so many milliseconds pass at once; what is due by then is called before this returns. */
  pass(ms: number): void;
  /** How many timers wait. */
  readonly timers: number;
}

/**
 * Gives the timers of this thread such a clock until the test is over: `setTimeout`, `setInterval` and `performance.now`, for what is set
 * from now on. A test of a limit gives it a minute or more, sees that what comes before it has come, and lets the minute pass.
 */
export function holdClock(): HeldClock {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
    // What else waits, such as for a child process, is not held up.
    shouldAdvanceTime: true,
  });
  onTestFinished(() => void vi.useRealTimers());
  return {
    pass: (ms) => void vi.advanceTimersByTime(ms),
    get timers() {
      return vi.getTimerCount();
    },
  };
}
