import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Files of outputs, and the folders of pipes that an agent could not remove when it was killed together with its watchdog. */
const ours = /^(?:pi-bash-[0-9a-f]{24}\.log|pikit-pipes-[0-9a-f]{24})$/;
const maxAgeMs = 3 * 24 * 3600 * 1000;
/** How long nobody looks again. */
const intervalMs = 3600 * 1000;

const lookedAt = new Map<string, number>();

/**
 * Removes what commands of three days ago and longer have left in the temporary folder: by its name, and if it is this user's. At
 * most once an hour, when a command has more output than its result. Never rejects.
 */
export async function removeOldOutputs(folder: string): Promise<void> {
  const now = Date.now();
  if (now - (lookedAt.get(folder) ?? Number.NEGATIVE_INFINITY) < intervalMs) return;
  lookedAt.set(folder, now);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((candidate) => ours.test(candidate))) {
    const path = join(folder, name);
    // Gone already: another agent tidies too.
    const stats = await lstat(path).catch(() => undefined);
    if (!stats || stats.uid !== process.getuid?.() || now - stats.mtimeMs < maxAgeMs) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
