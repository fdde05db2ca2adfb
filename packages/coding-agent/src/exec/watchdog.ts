import { spawn } from "node:child_process";
import type { Socket } from "node:net";
import { processMark } from "./command-mark.ts";
import { posixShell } from "./find-shell.ts";
import { watchdogScript } from "./watchdog-script.ts";

/** Starts the script in the background, so that it is not a child of this process; a host may wait for all its children. */
const launcher = `{ ${watchdogScript} } <&3 3<&- & :`;

const listing = { linux: ["proc"], darwin: ["-AEww"] };

/** The pipe to the watchdog; undefined if there is none. */
let pipe: Socket | undefined;
const known = { groups: new Map<number, "+" | "~">(), folder: "" };

/**
 * Starts the watchdog if it does not run: a small process that kills all commands of this process when this process ends, even by SIGKILL. One
 * watchdog serves all commands; it starts with the first command, and again if it was killed.
 *
 * @returns The pipe to the watchdog, on which a command registers itself with `+` and its group before it starts. undefined if there is none.
 */
export function ensureWatchdog(): Socket | undefined {
  if (pipe && !pipe.destroyed) return pipe;
  const flags = listing[process.platform as keyof typeof listing] ?? ["-axeww"];
  const child = spawn(posixShell, ["-c", launcher, `pikit-watchdog-of-${process.pid}`, ...flags], {
    cwd: "/",
    // A PATH from the project must not choose the programs of the watchdog.
    env: { PATH: "/bin:/usr/bin:/sbin:/usr/sbin:/run/current-system/sw/bin", LC_ALL: "C" },
    // Not stdin, because Node closes it when its child exits.
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    detached: true,
  });
  child.on("error", () => undefined); // sh is missing, so there are no shell commands either
  child.unref();
  // undefined if no file descriptor is free.
  const socket = (child.stdio as typeof child.stdio | undefined)?.[3] as Socket | undefined;
  if (!socket) return undefined;
  const forget = () => {
    if (pipe === socket) pipe = undefined;
    socket.destroy();
  };
  // The watchdog writes nothing; the pipe ends when it ends.
  socket.resume().on("end", forget).on("error", forget);
  socket.unref();
  pipe = socket;
  sendLine(processMark());
  if (known.folder !== "") sendLine(known.folder);
  for (const [group, sign] of known.groups) sendLine(`${sign}${group}`);
  return pipe;
}

/** Reports a new group to the watchdog. */
export function watchGroup(leaderPid: number): void {
  known.groups.set(leaderPid, "+");
  sendLine(`+${leaderPid}`);
}

/** Reports that the leader of a group has exited and other members live. */
export function watchOrphans(leaderPid: number): void {
  known.groups.set(leaderPid, "~");
  sendLine(`~${leaderPid}`);
}

/** Reports a dead group. */
export function unwatchGroup(leaderPid: number): void {
  if (known.groups.delete(leaderPid)) sendLine(`-${leaderPid}`);
}

/** Reports a folder of pipes, which the watchdog removes when this process has ended. */
export function watchFolder(path: string): void {
  known.folder = path;
  // A line feed would make it two lines; such a folder is not removed.
  if (!path.includes("\n")) sendLine(path);
}

function sendLine(line: string): void {
  pipe?.write(`${line}\n`);
}
