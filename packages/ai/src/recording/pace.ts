/** Steps without a wait are given out in batches of this many, so that an abort or another call gets its turn in between. */
const stepsPerBatch = 64;

/** Waits for the moment of a recorded step, `ms` after the call began. Rejects with the signal's reason when it is aborted. */
export type Pace = (ms: number, signal?: AbortSignal) => Promise<void>;

/**
 * Begins to keep time.
 *
 * @param isPaced - Whether steps wait for their recorded moments; otherwise they follow each other at once.
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
