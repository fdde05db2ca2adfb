import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Result, summarize } from "./lib/statistics.ts";
import type { WorkMeasurement } from "./programs/work.ts";

const run = promisify(execFile);

/** What is measured when the sizes of the budgets are asked for, and otherwise. */
const sizes = { full: { sessions: 1000, backlog: 20_000 }, quick: { sessions: 200, backlog: 2_000 } };

/**
 * Jobs of a worker on a PostgreSQL server of this machine, which writes to the disk: what a job takes beside the run of its session, alone and
 * behind a backlog; the memory of a session whose model has not answered; and how long the job of a worker waits that was killed.
 */
export async function work(rounds: number, { isFull = false }: { isFull?: boolean } = {}): Promise<Result[]> {
  const size = isFull ? sizes.full : sizes.quick;
  const folder = await mkdtemp(join(tmpdir(), "pikit-bench-"));
  try {
    const program = join(import.meta.dirname, "programs/work.ts");
    const args = ["--expose-gc", program, folder, String(rounds), String(size.sessions), String(size.backlog)];
    const { stdout } = await run(process.execPath, args);
    const { runs, jobs, together, behind, heap, resident, takeOver } = JSON.parse(stdout) as WorkMeasurement;
    const overhead = jobs.map((time, round) => time - (runs[round] ?? 0));
    return [
      summarize("run of a session, opened and closed", "ms", runs),
      summarize("the same as a job, added to ended", "ms", jobs),
      summarize("what the job takes beside the run", "ms", overhead, undefined, { atMost: 25 }),
      summarize("a job of many, 20 at a time", "ms", together),
      summarize(`the same, before ${size.backlog} more`, "ms", behind),
      summarize(`a session that waits, 1 of ${size.sessions}: heap`, "kB", heap, undefined, { atMost: 300 }),
      summarize("the same, resident", "kB", resident, undefined, { atMost: 300 }),
      summarize("worker killed → its job is taken", "ms", takeOver, undefined, { atMost: 5_000 }),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
