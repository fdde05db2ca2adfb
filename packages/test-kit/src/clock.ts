import { setImmediate as nextTurn } from "node:timers/promises";
// biome-ignore lint/correctness/noUndeclaredDependencies: vitest is the root's, here as in every test.
import { onTestFinished, vi } from "vitest";

/** A clock that stands still but for what the test lets pass. */
export interface HeldClock {
  /** Lets so many milliseconds pass; what is due by then is called before this returns. */
  pass(ms: number): void;
  /** Lets a tenth of a second pass again and again until the promise is settled. */
  passUntil<T>(settled: Promise<T>): Promise<T>;
  /** How many timers are set. */
  readonly timers: number;
  /** Time goes by itself again; timers that are still set are forgotten. */
  release(): void;
}

/**
 * Gives the timers of this thread such a clock until the test is over: `setTimeout`, `setInterval`, `performance.now` and
 * `AbortSignal.timeout`, for what is set from now on. So no limit can run out before what the test waits for has come, however slow the machine is. What does not go by these
 * is not held: other processes, `node:timers/promises`.
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
