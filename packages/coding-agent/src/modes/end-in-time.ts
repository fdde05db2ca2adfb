/** Milliseconds that it may take to stop what is going and to let go of a session. */
const endMs = 10_000;

/**
 * Waits for the end of something, but not for ever: who stops it wants the process to end, whatever an extension or a file server does.
 *
 * @returns Whether it came to its end.
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
