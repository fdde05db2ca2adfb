import { unwatchGroup, watchGroup, watchOrphans } from "./watchdog.ts";

/** Signals that end this process without an `exit` event, unless they have a listener. */
const fatalSignals = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

/** The process groups of commands, by the pid of the leader, which is also the id of the group. */
const groups = new Map<number, { leaderIsGone: boolean }>();
let isWatching = false;

/** Registers a group, so that it is killed when this process exits, receives a signal to end, or is killed. */
export function trackGroup(leaderPid: number): void {
  groups.set(leaderPid, { leaderIsGone: false });
  watchGroup(leaderPid);
  watch();
}

/** Records that the leader of a group has exited. The group stays registered while other members live, as in `server & echo started`. */
export function leaderExited(leaderPid: number): void {
  const group = groups.get(leaderPid);
  if (!group) return;
  group.leaderIsGone = true;
  if (isGroupAlive(leaderPid)) watchOrphans(leaderPid);
  for (const [pid, { leaderIsGone }] of groups) if (leaderIsGone && !isGroupAlive(pid)) forgetGroup(pid);
}

/** Removes a group whose members are dead, even if the system still has their zombies. */
export function forgetGroup(leaderPid: number): void {
  groups.delete(leaderPid);
  unwatchGroup(leaderPid);
  if (groups.size === 0) unwatch();
}

/** Removes a group that has ended after its leader. */
export function forgetEndedGroup(leaderPid: number): void {
  if (groups.has(leaderPid) && !isOurGroup(leaderPid)) forgetGroup(leaderPid);
}

/**
 * Kills all running commands and all background processes in their groups at once, with SIGKILL. The watchdog kills the processes that have
 * left their group, when this process has ended.
 */
function killAllProcesses(): void {
  for (const pid of groups.keys()) if (isOurGroup(pid)) signalGroup(pid, "SIGKILL");
  groups.clear();
  unwatch();
}

/** Whether a group that this process started has members. */
export function isOurGroup(leaderPid: number): boolean {
  const group = groups.get(leaderPid);
  // The id of a living group is not reused as a pid, so a new process with that pid proves that the group is dead.
  return group !== undefined && isGroupAlive(leaderPid) && !(group.leaderIsGone && exists(leaderPid));
}

/** Sends a signal to all members of a group; an empty group is not an error. */
export function signalGroup(leaderPid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leaderPid, signal);
  } catch {
    // ESRCH: all members are dead. EPERM: the others belong to another user now.
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

/** Whether we may signal a process (or zombie); not if it is dead or belongs to another user now. */
export function isReachable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether the group has members; zombies count. */
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
  // Before the listeners of the host: a `once` listener would already be removed when we count the listeners.
  for (const signal of fatalSignals) process.prependListener(signal, onFatalSignal);
}

function unwatch(): void {
  isWatching = false;
  process.off("exit", killAllProcesses);
  for (const signal of fatalSignals) process.off(signal, onFatalSignal);
}

/** Kills the commands, then repeats the signal with its default action. Does nothing if the host has its own listener. */
function onFatalSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killAllProcesses();
  process.kill(process.pid, signal);
}
