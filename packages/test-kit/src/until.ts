// A test may have replaced the global setTimeout with a held clock.
import { setTimeout as sleep } from "node:timers/promises";

const pollMs = 20;
/** At least 2.5 minutes: longer than any step takes on a busy machine, and shorter than the time limit of a test. */
const attempts = 7500;

/**
 * Calls `look` every 20 ms until it returns a truthy value, and returns this value. For changes without an event, such as the files and the
 * end of another process.
 *
 * @param what - The name of the condition, for the error.
 * @throws {Error} When the condition has not become true after minutes.
 */
export async function until<T>(what: string, look: () => T | Promise<T>): Promise<Exclude<T, false | null | undefined>> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const found = await look();
    if (found) return found as Exclude<T, false | null | undefined>;
    await sleep(pollMs);
  }
  throw new Error(`The test waited for minutes, but this did not happen: ${what}.`);
}
