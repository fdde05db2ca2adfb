import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Resident memory of another process, in bytes. */
export function residentBytes(pid: number): number {
  return process.platform === "linux" ? statusBytes(pid, "VmRSS") : Number(ps(pid, "rss")) * 1024;
}

/** The most that it ever was resident, in bytes; where the system does not tell (all but Linux), what is resident now. */
export function peakResidentBytes(pid: number): number {
  return process.platform === "linux" ? statusBytes(pid, "VmHWM") : residentBytes(pid);
}

/** Counts the peak anew from now on, where the system can (Linux). */
export function forgetPeak(pid: number): void {
  if (process.platform === "linux") writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

/** CPU time of all threads of another process, user and system, in microseconds. Exact on Linux, to 10 ms elsewhere. */
export function cpuMicroseconds(pid: number): number {
  if (process.platform !== "linux") return secondsOf(ps(pid, "time")) * 1e6;
  // Not /proc/<pid>/stat, which counts in hundredths of a second: a reply takes twenty of them.
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + nanoseconds(pid, thread) / 1000, 0);
}

function nanoseconds(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  } catch {
    return 0; // The thread has ended since the folder was read.
  }
}

function statusBytes(pid: number, field: string): number {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

function ps(pid: number, field: string): string {
  return execFileSync("ps", ["-o", `${field}=`, "-p", String(pid)], { encoding: "utf8" }).trim();
}

/** `[hours:]minutes:seconds`, as `ps` prints CPU time. */
function secondsOf(time: string): number {
  return time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
}
