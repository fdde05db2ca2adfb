import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** The members of a process group that are more than zombies, as `ps` names them. */
export function livingMembers(group: number): string[] {
  return listProcesses().flatMap(({ pgid, args }) => (pgid === group ? [args] : []));
}

/** The processes, zombies aside, whose command line has this text. */
export function livingWith(text: string): string[] {
  return listProcesses().flatMap(({ pid, args }) => (args.includes(text) ? [`${pid} ${args}`] : []));
}

/** Waits until a group has no living member; fails after 5 seconds. A kill is delivered, not instantly obeyed. */
export function expectGroupGone(group: number): Promise<void> {
  return expectNone(() => livingMembers(group));
}

/** Waits until no process has this text in its command line; fails after 5 seconds. */
export function expectNoneWith(text: string): Promise<void> {
  return expectNone(() => livingWith(text));
}

/** Waits until two processes are `sleep` for this duration, and fails after 5 seconds. */
export async function expectSleepers(duration: string): Promise<void> {
  const areAsleep = () => listProcesses().filter(({ args }) => args === `sleep ${duration}`).length >= 2;
  for (let attempt = 0; !areAsleep(); attempt++) {
    if (attempt === 100) throw new Error(`no two processes sleep ${duration}`);
    await sleep(50);
  }
}

async function expectNone(find: () => string[]): Promise<void> {
  for (let attempt = 0; find().length > 0; attempt++) {
    if (attempt === 100) throw new Error(`still alive: ${find().join(", ")}`);
    await sleep(50);
  }
}

function listProcesses(): { pid: number; pgid: number; args: string }[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,pgid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const [pid, pgid, stat, ...args] = line.trim().split(/\s+/);
    return stat === undefined || stat.startsWith("Z") ? [] : [{ pid: Number(pid), pgid: Number(pgid), args: args.join(" ") }];
  });
}
