/** Steps without a wait come in batches of this size, so that an abort or another call can run in between. */
const stepsPerBatch = 64;

/** Waits for the time of a recorded step, `ms` milliseconds after the start of the call. Rejects with the abort's reason. */
export type Pace = (ms: number, signal?: AbortSignal) => Promise<void>;

/**
 * Starts the clock of a call.
 *
 * @param isPaced - Whether steps wait for their recorded times; otherwise they follow each other at once.
 */
export function createPace(isPaced: boolean): Pace {
  const startedAt = performance.now();
  let count = 0;
  return async (ms, signal) => {
    signal?.throwIfAborted();
    count += 1;
    const waitMs = isPaced ? startedAt + ms - performance.now() : 0;
    if (waitMs > 0 || count % stepsPerBatch === 0) await wait(waitMs, signal);
  };
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
