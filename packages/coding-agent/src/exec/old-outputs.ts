import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Output files, and pipe folders that remain if an agent was killed together with its watchdog. */
const ours = /^(?:pi-bash-[0-9a-f]{24}\.log|pikit-pipes-[0-9a-f]{24})$/;
const maxAgeMs = 3 * 24 * 3600 * 1000;
/** The minimum time between two clean-ups of a folder. */
const intervalMs = 3600 * 1000;

const lookedAt = new Map<string, number>();

/**
 * Removes output files and pipe folders that are at least three days old from the temporary folder; only those of this user, identified by
 * their names. Called when an output is stored in a file; runs at most once an hour. Never rejects.
 */
export async function removeOldOutputs(folder: string): Promise<void> {
  const now = Date.now();
  if (now - (lookedAt.get(folder) ?? Number.NEGATIVE_INFINITY) < intervalMs) return;
  lookedAt.set(folder, now);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((candidate) => ours.test(candidate))) {
    const path = join(folder, name);
    // undefined if another agent has removed it.
    const stats = await lstat(path).catch(() => undefined);
    if (!stats || stats.uid !== process.getuid?.() || now - stats.mtimeMs < maxAgeMs) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
