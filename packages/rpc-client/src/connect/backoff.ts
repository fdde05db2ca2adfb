const maxDelayMs = 30_000;

/**
 * The delay before an attempt to connect.
 *
 * @param failures - Failed attempts in a row.
 * @param delayMs - The delay after the first one; doubled for each further one.
 * @returns Milliseconds; random, from half of the delay on, so that the clients of a restarted server do not all come at once.
 */
export function backoff(failures: number, delayMs: number): number {
  const longest = Math.min(delayMs * 2 ** Math.max(0, failures - 1), maxDelayMs);
  return longest * (0.5 + Math.random() / 2);
}
