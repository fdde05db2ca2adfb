import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { forgetGroup, isGroupAlive, signalGroup } from "./running-groups.ts";

/** Time to clean up (lock files, terminals) between SIGTERM and SIGKILL. Agents wait for the end of this, so it is short. */
const graceMs = 300;
/** After SIGKILL only the kernel can delay the end: a process in a device's hands, or one that nobody waits for. */
const killedMs = 500;
const pollMs = 10;

/**
 * Ends a process group: SIGTERM, and SIGKILL to those that are left after 300 ms. Resolves when no member lives, at the latest after
 * 800 ms. Never rejects.
 *
 * @param leaderPid - The pid of a process that was spawned `detached`, which makes it the leader of its own group.
 */
export async function killTree(leaderPid: number): Promise<void> {
  signalGroup(leaderPid, "SIGTERM");
  let gone = await isGone(leaderPid, graceMs);
  if (!gone) {
    signalGroup(leaderPid, "SIGKILL");
    gone = await isGone(leaderPid, killedMs);
  }
  if (gone) forgetGroup(leaderPid);
}

async function isGone(leaderPid: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (isGroupAlive(leaderPid) && isLiving(leaderPid)) {
    if (performance.now() >= deadline) return false;
    await sleep(pollMs);
  }
  return true;
}

/**
 * A dying shell may fork once more while it holds SIGTERM back, and that child gets no signal. Born between the listing of processes and
 * the look at its parent, it would be missed; the second look finds it, since its parent is dead by then.
 */
function isLiving(leaderPid: number): boolean {
  return hasLivingMember(leaderPid) || hasLivingMember(leaderPid);
}

/**
 * Whether a member is more than a zombie. Where process 1 is slow to collect orphans, or never does, as in many containers, the
 * group would seem to live on for seconds. Elsewhere than on Linux there is no /proc, and the answer is yes.
 */
function hasLivingMember(leaderPid: number): boolean {
  const pids = listPids();
  if (pids.length === 0) return true;
  // A stat line has some 300 bytes. One small buffer for all, since reading whole files takes 64 KB for each process and poll.
  const buffer = Buffer.alloc(1024);
  return pids.some((pid) => {
    const state = memberState(pid, leaderPid, buffer);
    return state !== undefined && state !== "Z" && state !== "X";
  });
}

function listPids(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return []; // no /proc here
  }
}

/** The state letter of proc_pid_stat(5); undefined for a process of another group, or one that has gone meanwhile. */
function memberState(pid: string, leaderPid: number, buffer: Buffer): string | undefined {
  const stat = readStart(`/proc/${pid}/stat`, buffer);
  // The name, in parentheses, may hold anything; after it come state, parent and group.
  const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(group) === leaderPid ? state : undefined;
}

function readStart(path: string, buffer: Buffer): string {
  try {
    const file = openSync(path, "r");
    try {
      return buffer.toString("latin1", 0, readSync(file, buffer, 0, buffer.length, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return ""; // the process has gone
  }
}
