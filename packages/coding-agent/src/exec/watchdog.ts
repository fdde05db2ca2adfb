import { spawn } from "node:child_process";
import type { Socket } from "node:net";
import { processMark } from "./command-mark.ts";
import { posixShell } from "./find-shell.ts";
import { watchdogScript } from "./watchdog-script.ts";

/** Starts the script in the background, so that it is nobody's child: not in the way of a host that waits for its own. */
const launcher = `{ ${watchdogScript} } <&3 3<&- & :`;

const listing = { linux: ["proc"], darwin: ["-AEww"] };

/** The pipe to the watchdog, while it lives. */
let pipe: Socket | undefined;
const known = { groups: new Map<number, "+" | "~">(), folder: "" };

/**
 * Sees to it that a watchdog runs: a small process that kills all commands of this one when this one ends, also by SIGKILL. There
 * is one for all commands; it is started with the first of them, and again should something have killed it.
 *
 * @returns The pipe to it, for a command to enrol itself with `+` and its group before it begins. undefined when there is none.
 */
export function ensureWatchdog(): Socket | undefined {
  if (pipe && !pipe.destroyed) return pipe;
  const flags = listing[process.platform as keyof typeof listing] ?? ["-axeww"];
  const child = spawn(posixShell, ["-c", launcher, `pikit-watchdog-of-${process.pid}`, ...flags], {
    cwd: "/",
    // A name that a project chose must not decide what kills its processes.
    env: { PATH: "/bin:/usr/bin:/sbin:/usr/sbin:/run/current-system/sw/bin", LC_ALL: "C" },
    // Not stdin, which Node closes with the end of its child.
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    detached: true,
  });
  child.on("error", () => undefined); // no sh: no shell commands either
  child.unref();
  // Node makes none when it is out of file descriptors.
  const socket = (child.stdio as typeof child.stdio | undefined)?.[3] as Socket | undefined;
  if (!socket) return undefined;
  const forget = () => {
    if (pipe === socket) pipe = undefined;
    socket.destroy();
  };
  // It says nothing: what comes is its end.
  socket.resume().on("end", forget).on("error", forget);
  socket.unref();
  pipe = socket;
  tell(processMark());
  if (known.folder !== "") tell(known.folder);
  for (const [group, sign] of known.groups) tell(`${sign}${group}`);
  return pipe;
}

/** A group has begun. */
export function watchGroup(leaderPid: number): void {
  known.groups.set(leaderPid, "+");
  tell(`+${leaderPid}`);
}

/** The group's leader has exited, and others live on. */
export function watchOrphans(leaderPid: number): void {
  known.groups.set(leaderPid, "~");
  tell(`~${leaderPid}`);
}

/** The group is dead. */
export function unwatchGroup(leaderPid: number): void {
  if (known.groups.delete(leaderPid)) tell(`-${leaderPid}`);
}

/** A folder of pipes that nobody shall find when this process has ended. */
export function watchFolder(path: string): void {
  known.folder = path;
  // A line feed would make it two lines; such a folder is left to the system.
  if (!path.includes("\n")) tell(path);
}

function tell(line: string): void {
  pipe?.write(`${line}\n`);
}
