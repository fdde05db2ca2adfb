import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** How often and how long another process is looked at; what it does sends us no event. */
const pollMs = 20;
const attempts = 500;

/** The number in a file that a command writes when it has started. */
export async function readPid(path: string): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const pid = Number(await readFile(path, "utf8").catch(() => ""));
    if (pid > 0) return pid;
    await sleep(pollMs);
  }
  throw new Error(`no process wrote ${path}`);
}

/** Waits until a process has ended; a zombie has. */
export async function expectProcessGone(pid: number): Promise<void> {
  for (let attempt = 0; await isAlive(pid); attempt += 1) {
    if (attempt === attempts) throw new Error(`process ${pid} is still alive`);
    await sleep(pollMs);
  }
}

async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return !/\) Z /.test(status);
}

/** What this process has read so far, of files and anything else; 0 where that cannot be known. */
export function bytesRead(): number {
  return process.platform === "linux" ? Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]) : 0;
}
