import { setTimeout as sleep } from "node:timers/promises";
import { type ProcessOwner, ProcessSearch } from "./process-search.ts";
import { forgetGroup, isGroupAlive, isReachable, signalGroup, signalProcess } from "./running-groups.ts";

/** Milliseconds between SIGTERM and SIGKILL, for cleaning up (lock files, terminals). Short, because the agent waits for it. */
const graceMs = 300;
/** Milliseconds to wait after SIGKILL for processes that we must not signal, such as those of another user. */
const killedMs = 500;
/** Milliseconds to wait after SIGKILL for our processes. They die unless a device blocks them, but on a busy machine that takes time. */
const dyingMs = 3000;
const firstPollMs = 5;
const longestPollMs = 40;

/**
 * Ends all processes of an owner, even those that have left its process group: SIGTERM, then SIGKILL after 300 ms. Resolves when all are
 * dead, at the latest some 3 seconds later. Never rejects.
 *
 * @returns The pids of the survivors: they belong to another user now, or hang in the kernel.
 */
export async function killTree(owner: ProcessOwner): Promise<number[]> {
  const search = new ProcessSearch(owner);
  // Before any process dies: a process that has left its group and cleared its environment can only be found by its parent.
  await search.find();
  let left = await signalAll(owner, search, { signal: "SIGTERM", withinMs: graceMs, dyingMs: graceMs });
  if (left.length > 0) left = await signalAll(owner, search, { signal: "SIGKILL", withinMs: killedMs, dyingMs });
  if (left.length === 0) for (const group of owner.groups) forgetGroup(group);
  return left;
}

/**
 * Signals each process once, also processes that are found later. Returns the pids of those that are alive when the time is over.
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
      // Members of the groups already have the signal. Some programs treat a second SIGTERM as a request to exit at once.
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
  // A dying process may fork once more, after the list of processes was read but before it dies. The first search misses that child. A
  // second search finds it, because its parent is dead by then.
  return (await search.find()) ?? [];
}
