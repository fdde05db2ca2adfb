// Not the global one, which a test may hold.
import { setTimeout as sleep } from "node:timers/promises";

const pollMs = 20;
/** Two and a half minutes at least: longer than anything takes on a busy machine, and shorter than a test may last. */
const attempts = 7500;

/**
 * Looks every 20 ms until `look` gives something true, and gives that. For what sends no event, such as another process's files and end.
 *
 * @param what - Names what is waited for.
 * @throws {Error} When it does not come for minutes: it never will.
 */
export async function until<T>(what: string, look: () => T | Promise<T>): Promise<Exclude<T, false | null | undefined>> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const found = await look();
    if (found) return found as Exclude<T, false | null | undefined>;
    await sleep(pollMs);
  }
  throw new Error(`Waited for minutes in vain: ${what}.`);
}
