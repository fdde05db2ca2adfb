import { execFile } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { promisify } from "node:util";
import { breathe } from "./breathe.ts";
import { hasMark } from "./command-mark.ts";

/** A living process; zombies are not included. */
export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  /** The start time, which distinguishes the process from a later one with the same pid. Empty if the system does not report it. */
  startedAt: string;
  /** Whether the process has a mark with this prefix; undefined while the process is starting, because its environment is not readable yet. */
  isMarked(prefix: string): boolean | undefined;
}

/** Returns the living processes of the system; undefined if they cannot be listed. */
export type ProcessTable = () => Promise<ProcessRow[] | undefined>;

/** Reads /proc on Linux. Runs ps on other systems, which takes about 20 ms. */
export const processTable: ProcessTable = () =>
  process.platform === "linux" ? readProc() : readPs(process.platform === "darwin" ? ["-AEww"] : ["-axeww"]);

/** A shared buffer for stat lines, which have about 300 bytes; `readFileSync` allocates 64 KB per process. */
const statBuffer = Buffer.alloc(1024);

/** The start time of this process. Older processes cannot be its commands, so their marks are not read. */
let ownStart: number | undefined;

async function readProc(): Promise<ProcessRow[] | undefined> {
  let names: string[];
  try {
    names = readdirSync("/proc");
    ownStart ??= Number(readStat("self")?.startedAt);
  } catch {
    return undefined; // /proc is missing
  }
  const rows: ProcessRow[] = [];
  for (const pid of names) {
    if (!/^\d+$/.test(pid)) continue;
    const row = readRow(pid);
    if (row) rows.push(row);
    await breathe();
  }
  return rows;
}

function readRow(pid: string): ProcessRow | undefined {
  const stat = readStat(pid);
  if (!stat || stat.state === "Z" || stat.state === "X") return undefined;
  const { parent, group, startedAt } = stat;
  const isMarked = (prefix: string) => (Number(startedAt) < (ownStart ?? 0) ? false : isProcMarked(pid, prefix));
  return { pid: Number(pid), parent, group, startedAt, isMarked };
}

/** Reads fields of proc_pid_stat(5); undefined if the process has ended. */
function readStat(pid: string) {
  const stat = readStart(`/proc/${pid}/stat`);
  // The name, in parentheses, may contain any character.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields.length < 20) return undefined;
  return { state: fields[0], parent: Number(fields[1]), group: Number(fields[2]), startedAt: fields[19] ?? "" };
}

function readStart(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      return statBuffer.toString("latin1", 0, readSync(file, statBuffer, 0, statBuffer.length, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return ""; // the process has ended
  }
}

/** Checks the resource limit first, because a process cannot remove it; some clear their environment or overwrite it with their title. */
function isProcMarked(pid: string, prefix: string): boolean | undefined {
  const limit = new RegExp(`^Max file locks +${prefix}`, "m");
  if (limit.test(readAll(`/proc/${pid}/limits`) ?? "")) return true;
  const environment = readAll(`/proc/${pid}/environ`);
  // Empty until the kernel has loaded the new program.
  return environment === "" ? undefined : hasMark(environment ?? "", prefix);
}

function readAll(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined; // the process has ended, or belongs to another user
  }
}

/**
 * Lists the processes with ps.
 *
 * @param flags - Flags that make ps list all processes, with their environments after the commands.
 * @internal Exported for its tests.
 */
export async function readPs(flags: readonly string[]): Promise<ProcessRow[] | undefined> {
  // One option for each column, because the text after the first `=` of an option is the heading.
  const columns = ["pid=", "ppid=", "pgid=", "stat=", "command="].flatMap((column) => ["-o", column]);
  const env = { PATH: "/bin:/usr/bin", LC_ALL: "C" };
  const listing = await promisify(execFile)("ps", [...flags, ...columns], { cwd: "/", env, maxBuffer: 2 ** 28 }).catch(
    () => undefined,
  );
  return listing?.stdout.split("\n").flatMap((line) => {
    const [, pid, parent, group, state = "", command = ""] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s?(.*)$/.exec(line) ?? [];
    if (pid === undefined || state.startsWith("Z")) return [];
    const isMarked = (prefix: string) => hasMark(command, prefix);
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), startedAt: "", isMarked }];
  });
}
