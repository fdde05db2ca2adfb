/** Calls that come too often, made seldom. */
export interface Throttle {
  /** Something changed: calls at once, or when the interval since the last call is over. */
  request(): void;
  /** No call is made any more. */
  stop(): void;
}

/** @param intervalMs - The least time between two calls. */
export function createThrottle(intervalMs: number, call: () => void): Throttle {
  let lastCallAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const run = () => {
    timer = undefined;
    lastCallAt = performance.now();
    call();
  };
  return {
    request() {
      if (isStopped || timer) return;
      const waitMs = lastCallAt + intervalMs - performance.now();
      if (waitMs <= 0) run();
      else timer = setTimeout(run, waitMs);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
