import { spawnSync } from "node:child_process";
import { readWholeSync } from "@pikit/ai/files/sync";

/** What the system says of a process. */
export interface ProcessInfo {
  /** False for a process that has ended, also while nobody has collected it. */
  isRunning: boolean;
  /** When it began, in the system's own words; equal for one process, different for another of the same pid. Empty when not told. */
  startTime: string;
}

const ended: ProcessInfo = { isRunning: false, startTime: "" };

/** Looks a process of this machine up. What cannot be found out counts as running. */
export function lookUpProcess(pid: number): ProcessInfo {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: somebody else's process, which runs.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return ended;
  }
  return fromProc(pid) ?? fromPs(pid) ?? { isRunning: true, startTime: "" };
}

/** Linux: fields 3 (state) and 22 (start, in ticks since boot) of /proc/<pid>/stat; the boot makes them unique. See proc(5). */
function fromProc(pid: number): ProcessInfo | undefined {
  try {
    const stat = readText(`/proc/${pid}/stat`);
    // The name before these fields is in brackets and may itself hold brackets and blanks.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (isEnded(fields[0])) return ended;
    const boot = readText("/proc/sys/kernel/random/boot_id").trim();
    return { isRunning: true, startTime: `${fields[19]} ${boot}` };
  } catch {
    return undefined; // no such file system, or its owner hides it from others
  }
}

/** These files have some hundred bytes. */
function readText(path: string): string {
  return readWholeSync(path, 4096).toString("utf8");
}

/** Elsewhere: what ps says, in a language and time zone that are the same for everybody. Undefined without ps, as on Windows. */
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
