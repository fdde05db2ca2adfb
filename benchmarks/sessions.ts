import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { writeSessionFile } from "./lib/session-file.ts";
import { type Result, summarize } from "./lib/statistics.ts";

const run = promisify(execFile);

/** Of an idle session. */
const budget = { atMost: 1 };
/** What is measured when the sizes of the budgets are asked for, and otherwise. */
const sizes = { full: { megabytes: 100, sessions: 1000 }, quick: { megabytes: 20, sessions: 200 } };

/**
 * Session files: opening a large one against reading and parsing its lines, appending to it against an empty one, the context of long
 * branches, and sessions that do nothing. Each measurement is a process of its own.
 */
export async function sessions(rounds: number, { isFull = false }: { isFull?: boolean } = {}): Promise<Result[]> {
  const { megabytes, sessions: idleCount } = isFull ? sizes.full : sizes.quick;
  const folder = await mkdtemp(join(tmpdir(), "pikit-bench-"));
  const work = join(folder, "work");
  await mkdir(work);
  const file = (name: string) => join(folder, `${name}.jsonl`);
  try {
    writeSessionFile(file("large"), work, { bytes: megabytes * 1e6 });
    writeSessionFile(file("small entries"), work, { bytes: megabytes * 1e6, resultLength: 100 });
    writeSessionFile(file("empty"), work, {});
    writeSessionFile(file("10,000"), work, { entries: 10_000, resultLength: 100 });
    writeSessionFile(file("100,000"), work, { entries: 100_000, resultLength: 100 });
    const times = new Map<string, number[]>();
    const measure = async (task: string, name: string) => {
      const series = times.get(`${task} ${name}`) ?? [];
      times.set(`${task} ${name}`, series);
      series.push(await useSession(task, file(name), join(folder, "agent")));
    };
    for (let round = 0; round < rounds; round += 1) {
      for (const name of ["large", "small entries"]) {
        await measure("parse", name);
        await measure("open", name);
      }
      for (const name of ["empty", "large"]) await measure("append", name);
      for (const name of ["10,000", "100,000"]) await measure("context", name);
    }
    const of = (key: string) => times.get(key) ?? [];
    const title = `${megabytes} MB session`;
    const parse = summarize(`lines of a ${title}, parsed`, "ms", of("parse large"));
    const parseSmall = summarize("the same of 500 bytes an entry", "ms", of("parse small entries"));
    const append = summarize("1,000 appends, empty session", "ms", of("append empty"));
    const context = summarize(
      "context of 10,000 entries, × 10",
      "ms",
      of("context 10,000").map((time) => time * 10),
    );
    return [
      parse,
      // The budget is for 100 MB: of a small session, a third of the time is code that is compiled and the first growth of the heap.
      summarize(`a ${title}, opened`, "ms", of("open large"), parse, isFull ? 1.3 : undefined),
      parseSmall,
      summarize("the same, opened", "ms", of("open small entries"), parseSmall),
      append,
      summarize(`1,000 appends, ${title}`, "ms", of("append large"), append, 1.2),
      context,
      summarize("context of 100,000 entries", "ms", of("context 100,000"), context, 2),
      ...(await idleSessions(idleCount, folder, work)),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function useSession(task: string, path: string, agentDir: string): Promise<number> {
  const program = join(import.meta.dirname, "programs/use-session.ts");
  const { stdout } = await run(process.execPath, ["--expose-gc", program, task, path, agentDir]);
  return Number(stdout);
}

/** Bytes a session. */
async function idleSessions(count: number, folder: string, work: string): Promise<Result[]> {
  const paths = Array.from({ length: count }, (_, n) => join(folder, `idle-${n}.jsonl`));
  for (const path of paths) writeSessionFile(path, work, { entries: 20 });
  const program = join(import.meta.dirname, "programs/idle-sessions.ts");
  const measure = async (files: readonly string[]) => {
    const env = { ...process.env, SESSIONS: String(count) };
    const args = ["--expose-gc", program, work, join(folder, "agent"), ...files];
    const { stdout } = await run(process.execPath, args, { env });
    const { heap, resident } = JSON.parse(stdout) as { heap: number; resident: number };
    return { heap: [heap / 1e6], resident: [resident / 1e6] };
  };
  const inMemory = await measure([]);
  const inFiles = await measure(paths);
  return [
    summarize("an idle session in memory, heap", "MB", inMemory.heap, undefined, budget),
    summarize("an idle session in memory, resident", "MB", inMemory.resident, undefined, budget),
    summarize("an idle session in a file, heap", "MB", inFiles.heap, undefined, budget),
    summarize("an idle session in a file, resident", "MB", inFiles.resident, undefined, budget),
  ];
}
