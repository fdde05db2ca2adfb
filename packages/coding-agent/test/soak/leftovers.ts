import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The processes that are children of `parentPid`, or that work in `folder` whoever their parent is; zombies count as children. */
export function findProcesses(parentPid: number, folder: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === parentPid) return false;
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      const parent = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
      return Number(parent) === parentPid || readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false; // it ended while we looked, or it is somebody else's
    }
  });
}

/** Resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

/** What the open file descriptors of a process are, by kind: `socket`, `pipe`, `file` … with how many of each. */
export function openFiles(pid: number): Record<string, number> {
  const folder = `/proc/${pid}/fd`;
  return countBy(
    readdirSync(folder).flatMap((name) => {
      try {
        return [readlinkSync(`${folder}/${name}`).split(":")[0] ?? ""];
      } catch {
        return []; // the one that lists the folder
      }
    }),
  );
}

/** How often each name is there. */
export function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
