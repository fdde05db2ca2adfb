/** Limits the rate of calls. */
export interface Throttle {
  /** Requests a call: at once, or after the interval since the last call. */
  request(): void;
  /** Prevents further calls. */
  stop(): void;
}

/** @param intervalMs - The minimum time between two calls. */
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
