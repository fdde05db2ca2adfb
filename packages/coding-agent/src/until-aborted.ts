/**
 * What the work comes to, or the abort's reason as soon as there is one: who does not mind the signal, such as a file system or a
 * server that is gone, must not hold up who stops the work. It goes on by itself; nobody is told of its end.
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
