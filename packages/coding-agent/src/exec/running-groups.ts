import { unwatchGroup, watchGroup, watchOrphans } from "./watchdog.ts";

/** Signals that end this process without an `exit` event unless somebody handles them. */
const fatalSignals = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

/** Process groups of our commands by the pid of their leader, which is also the group's id. */
const groups = new Map<number, { leaderIsGone: boolean }>();
let isWatching = false;

/** Remembers a group, so that it is killed when this process exits, is told to, or is killed itself. */
export function trackGroup(leaderPid: number): void {
  groups.set(leaderPid, { leaderIsGone: false });
  watchGroup(leaderPid);
  watch();
}

/** The group's leader has exited. The group stays remembered while other members live, as those of `server & echo started`. */
export function leaderExited(leaderPid: number): void {
  const group = groups.get(leaderPid);
  if (!group) return;
  group.leaderIsGone = true;
  if (isGroupAlive(leaderPid)) watchOrphans(leaderPid);
  for (const [pid, { leaderIsGone }] of groups) if (leaderIsGone && !isGroupAlive(pid)) forgetGroup(pid);
}

/** The group is known to be dead, though perhaps not yet collected by the system. */
export function forgetGroup(leaderPid: number): void {
  groups.delete(leaderPid);
  unwatchGroup(leaderPid);
  if (groups.size === 0) unwatch();
}

/**
 * Kills every command that is running and every background process that commands have left in their groups, at once and without
 * asking. Those that have left their group are the watchdog's, which sees the end of this process.
 */
export function killAllProcesses(): void {
  for (const pid of groups.keys()) if (isOurGroup(pid)) signalGroup(pid, "SIGKILL");
  groups.clear();
  unwatch();
}

/** Whether a group that was begun here has members. */
export function isOurGroup(leaderPid: number): boolean {
  const group = groups.get(leaderPid);
  // The number of a living group is not given away, so a new process that has it proves that our group is gone.
  return group !== undefined && isGroupAlive(leaderPid) && !(group.leaderIsGone && exists(leaderPid));
}

/** Sends a signal to all members; an empty group is no error. */
export function signalGroup(leaderPid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leaderPid, signal);
  } catch {
    // ESRCH: all members are gone. EPERM: those left changed their user and are beyond our reach.
  }
}

/** Sends a signal to one process. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // As above.
  }
}

/** Whether a process lives, or is a zombie, and takes our signals: it may have become another user's. */
export function isReachable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether the group has members. A dead one that nobody has waited for counts. */
export function isGroupAlive(leaderPid: number): boolean {
  return exists(-leaderPid);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function watch(): void {
  if (isWatching) return;
  isWatching = true;
  process.on("exit", killAllProcesses);
  // First in line, or a `once` listener of the host would be gone when we ask whether there is any.
  for (const signal of fatalSignals) process.prependListener(signal, onFatalSignal);
}

function unwatch(): void {
  isWatching = false;
  process.off("exit", killAllProcesses);
  for (const signal of fatalSignals) process.off(signal, onFatalSignal);
}

/** Does what the signal does without us, after the commands are killed. A host with a listener of its own decides for itself. */
function onFatalSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killAllProcesses();
  process.kill(process.pid, signal);
}
