/** Maximum milliseconds for stopping a run and closing a session. */
const endMs = 10_000;

/**
 * Waits for `ending`, but at most `endMs`: a hanging extension or file server must not keep the process from exiting.
 *
 * @returns Whether `ending` resolved in time.
 */
export async function endInTime(ending: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, endMs, false);
  try {
    return await Promise.race([ending.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
