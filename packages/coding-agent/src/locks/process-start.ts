import { spawnSync } from "node:child_process";
import { readWholeSync } from "@pikit/ai/files/sync";

/** The system's information about a process. */
export interface ProcessInfo {
  /** False for a process that has ended, including a zombie process. */
  isRunning: boolean;
  /** The start time in the system's format. It differs between processes with the same pid. Empty if unknown. */
  startTime: string;
}

const ended: ProcessInfo = { isRunning: false, startTime: "" };

/** Looks up a process of this machine. If its state cannot be determined, it counts as running. */
export function lookUpProcess(pid: number): ProcessInfo {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process runs, but belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return ended;
  }
  return fromProc(pid) ?? fromPs(pid) ?? { isRunning: true, startTime: "" };
}

/** Linux: fields 3 (state) and 22 (start, in ticks since boot) of /proc/<pid>/stat, made unique by the boot id. See proc(5). */
function fromProc(pid: number): ProcessInfo | undefined {
  try {
    const stat = readText(`/proc/${pid}/stat`);
    // The process name before these fields is in brackets and may itself contain brackets and spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (isEnded(fields[0])) return ended;
    const boot = readText("/proc/sys/kernel/random/boot_id").trim();
    return { isRunning: true, startTime: `${fields[19]} ${boot}` };
  } catch {
    return undefined; // no /proc, or it hides processes of other users
  }
}

/** Reads a file of a few hundred bytes. */
function readText(path: string): string {
  return readWholeSync(path, 4096).toString("utf8");
}

/**
 * Other systems: the output of ps, with a fixed locale and time zone. Undefined without ps, for example on Windows.
 *
 * @internal Exported for its tests.
 */
export function fromPs(pid: number): ProcessInfo | undefined {
  if (process.platform === "win32") return undefined;
  const env = { PATH: process.env.PATH ?? "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC" };
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-o", "lstart=", "-p", String(pid)], { encoding: "utf8", env });
  const [, state, startTime = ""] = /^\s*(\S+)\s+(.*\S)/.exec(stdout ?? "") ?? [];
  if (state === undefined) return undefined;
  return isEnded(state) ? ended : { isRunning: true, startTime };
}

function isEnded(state: string | undefined): boolean {
  return state !== undefined && /^[ZX]/.test(state);
}
