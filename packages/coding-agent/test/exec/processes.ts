import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** The members of a process group that are more than zombies, as `ps` names them. */
export function livingMembers(group: number): string[] {
  const lines = execFileSync("ps", ["-A", "-o", "pgid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([pgid, stat]) => Number(pgid) === group && !stat?.startsWith("Z"))
    .map(([, , ...args]) => args.join(" "));
}

/** Waits until a group has no living member; fails after 5 seconds. A kill is delivered, not instantly obeyed. */
export async function expectGroupGone(group: number): Promise<void> {
  for (let attempt = 0; livingMembers(group).length > 0; attempt++) {
    if (attempt === 100) throw new Error(`still alive: ${livingMembers(group).join(", ")}`);
    await sleep(50);
  }
}
