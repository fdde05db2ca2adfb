/**
 * Waits for `work`, but rejects with the signal's reason as soon as the signal is aborted. For work that ignores the signal, such as a file
 * system or a server that no longer responds. After an abort the work continues, and its result is ignored.
 */
export async function untilAborted<T>(work: T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
