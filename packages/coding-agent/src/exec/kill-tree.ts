import { setTimeout as sleep } from "node:timers/promises";
import { type ProcessOwner, ProcessSearch } from "./process-search.ts";
import { forgetGroup, isGroupAlive, isReachable, signalGroup, signalProcess } from "./running-groups.ts";

/** Time to clean up (lock files, terminals) between SIGTERM and SIGKILL. Agents wait for the end of this, so it is short. */
const graceMs = 300;
/** How long is waited after SIGKILL for what is beyond our reach, such as another user's. */
const killedMs = 500;
/** And for what is not: it dies, unless a device holds it, but on a busy machine it has to wait for a processor to die on. */
const dyingMs = 3000;
const firstPollMs = 5;
const longestPollMs = 40;

/**
 * Ends everything that belongs to an owner, also what has left its process group: SIGTERM, and SIGKILL to those that are left after
 * 300 ms. Resolves when no process lives, at the latest some 3 seconds later. Never rejects.
 *
 * @returns The pids of those that could not be ended: they belong to another user by now, or hang in the kernel.
 */
export async function killTree(owner: ProcessOwner): Promise<number[]> {
  const search = new ProcessSearch(owner);
  // Before anything dies, since an orphan that has left its group and cleared its environment is known by its parent alone.
  await search.find();
  let left = await signalAll(owner, search, { signal: "SIGTERM", withinMs: graceMs, dyingMs: graceMs });
  if (left.length > 0) left = await signalAll(owner, search, { signal: "SIGKILL", withinMs: killedMs, dyingMs });
  if (left.length === 0) for (const group of owner.groups) forgetGroup(group);
  return left;
}

/**
 * Signals each process once, also those that come to light later, and returns the pids of those that live when the time is over.
 */
async function signalAll(
  { groups }: ProcessOwner,
  search: ProcessSearch,
  { signal, withinMs, dyingMs }: { signal: NodeJS.Signals; withinMs: number; dyingMs: number },
): Promise<number[]> {
  const startedAt = performance.now();
  for (const group of groups) signalGroup(group, signal);
  const signalled = new Set<number>();
  for (let pollMs = firstPollMs; ; pollMs = Math.min(2 * pollMs, longestPollMs)) {
    const living = await findLiving(groups, search);
    for (const { pid, group } of living) {
      // Members had theirs with the group; some programs take a second SIGTERM for impatience.
      const isDone = signalled.has(pid) || (pollMs === firstPollMs && groups.has(group));
      if (!isDone) signalProcess(pid, signal);
      signalled.add(pid);
    }
    const limitMs = living.some(({ pid }) => isReachable(pid)) ? dyingMs : withinMs;
    if (living.length === 0 || performance.now() - startedAt >= limitMs) return living.map(({ pid }) => pid);
    await sleep(pollMs);
  }
}

async function findLiving(groups: ReadonlySet<number>, search: ProcessSearch): Promise<{ pid: number; group: number }[]> {
  const found = await search.find();
  if (!found) return [...groups].filter(isGroupAlive).map((group) => ({ pid: group, group }));
  if (found.length > 0) return found;
  // A dying process may fork once more. Born between the listing of processes and the look at its parent, the child is missed; the
  // second look finds it, since its parent is dead by then.
  return (await search.find()) ?? [];
}
