import { execFileSync } from "node:child_process";
import { until } from "@pikit/test-kit";

/** The members of a process group that are more than zombies, as `ps` names them. */
export function livingMembers(group: number): string[] {
  return listProcesses().flatMap(({ pgid, args }) => (pgid === group ? [args] : []));
}

/** The processes, zombies aside, whose command line has this text. */
export function livingWith(text: string): string[] {
  return listProcesses().flatMap(({ pid, args }) => (args.includes(text) ? [`${pid} ${args}`] : []));
}

/** Waits until a group has no living member. A kill is delivered, not instantly obeyed. */
export function expectGroupGone(group: number): Promise<void> {
  return expectNone(() => livingMembers(group));
}

/** Waits until no process has this text in its command line. */
export function expectNoneWith(text: string): Promise<void> {
  return expectNone(() => livingWith(text));
}

/** Waits until so many processes are `sleep` for this duration. */
export async function expectSleepers(duration: string, count = 2): Promise<void> {
  await until(`${count} processes sleep ${duration}`, () => sleepers(duration).length >= count);
}

/** The processes that are `sleep` for this duration, and no shell any more that will become one. */
function sleepers(duration: string): number[] {
  return listProcesses().flatMap(({ pid, args }) => (args === `sleep ${duration}` ? [pid] : []));
}

async function expectNone(find: () => string[]): Promise<void> {
  await until(`the end of ${find().join(", ")}`, () => find().length === 0);
}

/** The processes of this machine, zombies aside. */
export function listProcesses(): { pid: number; parent: number; pgid: number; args: string }[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const [pid, parent, pgid, stat, ...args] = line.trim().split(/\s+/);
    return stat === undefined || stat.startsWith("Z")
      ? []
      : [{ pid: Number(pid), parent: Number(parent), pgid: Number(pgid), args: args.join(" ") }];
  });
}
