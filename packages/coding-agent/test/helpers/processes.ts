import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { until } from "@pikit/test-kit";

/** The number in a file that a command writes when it has started. */
export async function readPid(path: string): Promise<number> {
  return until(`a process writes ${path}`, async () => {
    const text = await readFile(path, "utf8").catch(() => "");
    // Before the line ends, the number may be half of it.
    return text.endsWith("\n") && Number(text);
  });
}

/** Waits until a process has ended; a zombie has. */
export async function expectProcessGone(pid: number): Promise<void> {
  await until(`process ${pid} is gone`, async () => !(await isAlive(pid)));
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
