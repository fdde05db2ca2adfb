import { execFile } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { promisify } from "node:util";
import { Breather } from "./breather.ts";
import { hasMark } from "./command-mark.ts";

/** A process that lives; a zombie does not. */
export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  /** Tells the process from a later one with the same pid. Empty where the system does not say. */
  startedAt: string;
  /** Whether it has a mark that begins so; undefined while it is being started, when nobody can know. */
  isMarked(prefix: string): boolean | undefined;
}

/** The living processes of the system; undefined when it cannot be asked. */
export type ProcessTable = () => Promise<ProcessRow[] | undefined>;

/** Linux: /proc. Elsewhere: what ps says, whose answers take some 20 ms. */
export const processTable: ProcessTable = () =>
  process.platform === "linux" ? readProc() : readPs(process.platform === "darwin" ? ["-AEww"] : ["-axeww"]);

/** A stat line has some 300 bytes. One small buffer for all, since reading whole files takes 64 KB for each process. */
const statBuffer = Buffer.alloc(1024);

/** Nothing that is older than this process can be a command of it; their marks need not be read. */
let ownStart: number | undefined;

async function readProc(): Promise<ProcessRow[] | undefined> {
  let names: string[];
  try {
    names = readdirSync("/proc");
    ownStart ??= Number(readStat("self")?.startedAt);
  } catch {
    return undefined; // no /proc here
  }
  const rows: ProcessRow[] = [];
  const breather = new Breather();
  for (const pid of names) {
    if (!/^\d+$/.test(pid)) continue;
    const row = readRow(pid);
    if (row) rows.push(row);
    if (breather.isDue) await breather.breathe();
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

/** Fields of proc_pid_stat(5); undefined when the process has gone. */
function readStat(pid: string) {
  const stat = readStart(`/proc/${pid}/stat`);
  // The name, in parentheses, may hold anything.
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
    return ""; // the process has gone
  }
}

/** By the limit first: no process can lose it, while some clear their environment or write their title over it. */
function isProcMarked(pid: string, prefix: string): boolean | undefined {
  const limit = new RegExp(`^Max file locks +${prefix}`, "m");
  if (limit.test(readAll(`/proc/${pid}/limits`) ?? "")) return true;
  const environment = readAll(`/proc/${pid}/environ`);
  // Empty until the kernel has laid out the new program.
  return environment === "" ? undefined : hasMark(environment ?? "", prefix);
}

function readAll(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined; // gone, or another user's
  }
}

/**
 * The processes as ps tells them.
 *
 * @param flags - Such that all processes are listed, with their environments behind the commands.
 */
export async function readPs(flags: readonly string[]): Promise<ProcessRow[] | undefined> {
  // One option each: what follows the first `=` of an option is a heading.
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
