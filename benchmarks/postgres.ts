import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startServer } from "../packages/postgres/test/helpers/server.ts";
import { writeSessionFile } from "./lib/session-file.ts";
import { type Result, summarize } from "./lib/statistics.ts";
import type { Operation, Options, Times } from "./programs/postgres-store.ts";

const run = promisify(execFile);
const program = join(import.meta.dirname, "programs/postgres-store.ts");

/** Sessions of the small and of the large database. */
const few = 100;
const sizes = { full: 50_000, quick: 10_000 };

const names: Readonly<Record<Operation, string>> = {
  list: "50 lists of 20 sessions",
  listFolder: "50 looks for the latest of a folder",
  open: "50 times open and close",
  append: "50 appends, one after another",
};

/**
 * Sessions in PostgreSQL, with a server of its own whose settings are those of an installation: appends of many sessions at once, the
 * operations of a table of many sessions against one of few, and opening a long session against opening its file.
 */
export async function postgres(rounds: number, { isFull = false }: { isFull?: boolean } = {}): Promise<Result[]> {
  const many = isFull ? sizes.full : sizes.quick;
  const folder = await mkdtemp(join(tmpdir(), "pikit-bench-"));
  const server = await startServer({ fsync: "on" });
  try {
    const work = join(folder, "work");
    await mkdir(work);
    const file = join(folder, "long.jsonl");
    writeSessionFile(file, work, { entries: 10_000 });
    const databases = [
      { url: server.url(), sessions: few },
      { url: `${server.url()}&schema=many`, sessions: many },
    ];
    const options: Options = { databases, file, rounds };
    const { stdout } = await run(process.execPath, [program, JSON.stringify(options)]);
    return resultsOf(JSON.parse(stdout) as Times, many);
  } finally {
    await server.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

function resultsOf({ appends, openFile, openStored, operations }: Times, many: number): Result[] {
  const [small, large] = operations;
  const ofFile = summarize("10,000 entries, opened from a file", "ms", openFile);
  const results: Result[] = [
    // At least 3,000 a second.
    summarize("3,000 entries of 100 sessions at once", "ms", appends, undefined, { atMost: 1000 }),
    ofFile,
    summarize("the same, opened from a database", "ms", openStored, ofFile, 2),
  ];
  for (const [operation, name] of Object.entries(names) as [Operation, string][]) {
    const base = summarize(`${name}, ${few} sessions`, "ms", small?.[operation] ?? []);
    results.push(base, summarize(`the same, ${many.toLocaleString("en")} sessions`, "ms", large?.[operation] ?? [], base, 1.3));
  }
  return results;
}
