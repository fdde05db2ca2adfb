import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";

const program = fileURLToPath(new URL("fixtures/worker.ts", import.meta.url));

/** A worker in a process of its own; see `fixtures/worker.ts`. */
export interface WorkerProcess {
  child: ChildProcess;
  pid: number;
  /** The results of its jobs, in the order of their ends. */
  results: AsyncIterator<unknown>;
}

/** @param cwd - The folder of the files of the tool. */
export async function startProcess({ url, cwd }: { url: string; cwd: string }, leaseSeconds = 15): Promise<WorkerProcess> {
  const args = ["--conditions=pikit-source", program, url, cwd, String(leaseSeconds)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("ready");
  const results = (async function* () {
    for (let line = await lines.next(); !line.done; line = await lines.next()) yield JSON.parse(line.value) as unknown;
  })();
  return { child, pid: child.pid ?? 0, results };
}
