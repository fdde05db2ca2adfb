import { setImmediate as nextTurn } from "node:timers/promises";
// biome-ignore lint/correctness/noUndeclaredDependencies: vitest is the root's, here as in every test.
import { onTestFinished, vi } from "vitest";

/** A clock that advances only when the test says so. */
export interface HeldClock {
  /** Advances the clock and calls all due timers before it returns. */
  pass(ms: number): void;
  /**
   * Advances the clock in steps of 100 ms until the promise is settled. Each turn of the event loop is a step, so every timeout soon expires:
   * wait first for the events that must come before it.
   */
  passUntil<T>(settled: Promise<T>): Promise<T>;
  /** The number of pending timers. */
  readonly timers: number;
  /** Restores the real clock; pending timers are dropped. */
  release(): void;
}

/**
 * Replaces the clock of `setTimeout`, `setInterval`, `performance.now` and `AbortSignal.timeout` in this thread until the end of the test,
 * for timers that are set from now on. So no timeout can expire before the event that the test waits for, however slow the machine is.
 * Other processes and `node:timers/promises` keep the real clock.
 */
export function holdClock(): HeldClock {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
  const spy = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException("The time is over.", "TimeoutError")), ms);
    return controller.signal;
  });
  const release = () => {
    vi.useRealTimers();
    spy.mockRestore();
  };
  onTestFinished(release);
  return {
    release,
    pass: (ms) => void vi.advanceTimersByTime(ms),
    async passUntil(promise) {
      let isSettled = false;
      const settle = () => {
        isSettled = true;
      };
      promise.then(settle, settle);
      while (!isSettled) {
        vi.advanceTimersByTime(100);
        await nextTurn();
      }
      return promise;
    },
    get timers() {
      return vi.getTimerCount();
    },
  };
}
