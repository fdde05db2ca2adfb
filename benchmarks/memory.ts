import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { writeSessionFile } from "./lib/session-file.ts";
import { type Result, summarize } from "./lib/statistics.ts";

const run = promisify(execFile);

/** What is measured when the sizes of the budgets are asked for, and otherwise. */
const sizes = { full: { megabytes: 100, sessions: 1000 }, quick: { megabytes: 20, sessions: 100 } };

/** Memory does not vary as time does: more rounds tell nothing more. */
const mostRounds = 3;

/**
 * Heap of a long session against its bare messages, before and after a compaction, and what sessions leave behind that are gone. Each
 * measurement is a process of its own.
 */
export async function memory(rounds: number, { isFull = false }: { isFull?: boolean } = {}): Promise<Result[]> {
  const { megabytes, sessions } = isFull ? sizes.full : sizes.quick;
  const folder = await mkdtemp(join(tmpdir(), "pikit-bench-"));
  const path = join(folder, "large.jsonl");
  try {
    await mkdir(join(folder, "work"));
    const values: Record<"parsed" | "open" | "compacted" | "gone", number[]> = { parsed: [], open: [], compacted: [], gone: [] };
    for (let round = 0; round < Math.min(rounds, mostRounds); round += 1) {
      for (const [task, series] of Object.entries(values)) {
        // Compacting adds to the file.
        if (round === 0 || task === "compacted") writeSessionFile(path, join(folder, "work"), { bytes: megabytes * 1e6 });
        const argument = task === "gone" ? String(sessions) : path;
        series.push(await measureBytes(task, argument, folder));
      }
      writeSessionFile(path, join(folder, "work"), { bytes: megabytes * 1e6 });
    }
    const inMegabytes = (bytes: readonly number[]) => bytes.map((value) => value / 1e6);
    const parsed = summarize(`messages of a ${megabytes} MB session, parsed`, "MB", inMegabytes(values.parsed));
    return [
      parsed,
      summarize(`a ${megabytes} MB session, open`, "MB", inMegabytes(values.open), parsed, 1.2),
      summarize("the same, once compacted", "MB", inMegabytes(values.compacted), parsed, 0.15),
      summarize(
        `left by each of ${sessions} sessions that are gone`,
        "kB",
        values.gone.map((value) => value / 1e3),
        undefined,
        { atMost: 4 },
      ),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureBytes(task: string, argument: string, folder: string): Promise<number> {
  const program = join(import.meta.dirname, "programs/hold-session.ts");
  const flags = ["--expose-gc", "--no-flush-bytecode", "--max-semi-space-size=1"];
  const { stdout } = await run(process.execPath, [...flags, program, task, argument, join(folder, "work"), join(folder, "agent")]);
  return Number(stdout);
}
