// Run by work.ts with --expose-gc: `work.ts <folder> <rounds> <sessions> <backlog>` measures jobs and prints the measurements as JSON.
// `work.ts <folder> hold <url>` is a worker that takes one job, prints a line, and never answers.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { startServer } from "../../packages/postgres/test/helpers/server.ts";

const packages = join(import.meta.dirname, "../../packages");
const agent = (await import(
  join(packages, "coding-agent/dist/index.js")
)) as typeof import("../../packages/coding-agent/src/index.ts");
const postgres = (await import(join(packages, "postgres/dist/index.js"))) as typeof import("../../packages/postgres/src/index.ts");
const work = (await import(join(packages, "postgres/dist/work.js"))) as typeof import("../../packages/postgres/src/work/index.ts");

/** Times in milliseconds, memory in kilobytes. */
export interface WorkMeasurement {
  runs: number[];
  jobs: number[];
  together: number[];
  behind: number[];
  heap: number[];
  resident: number[];
  takeOver: number[];
}

const [folder = "", task = "", third = "", fourth = ""] = process.argv.slice(2);
if (task === "hold") await hold(third);
else console.log(JSON.stringify(await measureAll(Number(task), Number(third), Number(fourth))));
process.exit();

/** A worker whose model answers when the returned function allows it. */
async function open(url: string, concurrency: number) {
  const store = new postgres.PostgresSessionStore(url);
  const queue = await work.openWorkQueue({ url });
  let gate: Promise<void> | undefined;
  let calls = 0;
  let ends = 0;
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const model = agent.createScriptedModel({
    script: async () => {
      calls += 1;
      change();
      await gate;
      return { text: "Done." };
    },
  });
  const session = { model, cwd: folder, agentDir: join(folder, "agent") };
  const onEnd = () => {
    ends += 1;
    change();
  };
  const start = () => work.createWorker({ store, queue, concurrency, session, onEnd });
  const until = async (isThere: () => boolean) => {
    while (!isThere()) await changed.promise;
  };
  return {
    ...{ store, queue, session, start },
    block: (until: Promise<void>) => {
      gate = until;
    },
    calls: () => calls,
    untilCalls: (count: number) => until(() => calls >= count),
    ends: () => ends,
    untilEnds: (count: number) => until(() => ends >= count),
  };
}

type Bench = Awaited<ReturnType<typeof open>>;

async function hold(url: string): Promise<never> {
  const bench = await open(url, 1);
  bench.block(new Promise(() => undefined));
  bench.start();
  await bench.untilCalls(1);
  console.log("taken");
  return new Promise(() => undefined);
}

async function measureAll(rounds: number, sessions: number, backlog: number): Promise<WorkMeasurement> {
  const server = await startServer({ fsync: "on" });
  try {
    const bench = await open(server.url(), Math.max(sessions, 20));
    const worker = bench.start();
    const { runs, jobs } = await measureJobs(bench, rounds);
    const { heap, resident } = await measureMemory(bench, sessions);
    await worker.stop();
    const takeOver = await measureTakeOver(bench, server.url(), Math.min(rounds, 5));
    const { together, behind } = await measureBacklog(await open(`${server.url()}&schema=backlog`, 20), backlog);
    return { runs, jobs, together, behind, heap, resident, takeOver };
  } finally {
    await server.remove();
  }
}

/** Runs, and the same as jobs, by turns. The first ones load what is loaded once. */
async function measureJobs({ store, queue, session, ends, untilEnds }: Bench, rounds: number) {
  const runs: number[] = [];
  const jobs: number[] = [];
  for (let round = -5; round < rounds; round += 1) {
    const start = performance.now();
    const opened = await agent.createAgentSession({ ...session, store, session: { id: crypto.randomUUID() } });
    await opened.prompt("Hello");
    await opened.dispose();
    const middle = performance.now();
    const before = ends();
    await queue.enqueue({ prompt: "Hello" });
    await untilEnds(before + 1);
    if (round < 0) continue;
    runs.push(middle - start);
    jobs.push(performance.now() - middle);
  }
  return { runs, jobs };
}

async function measureMemory({ queue, block, calls, untilCalls, ends, untilEnds }: Bench, sessions: number) {
  const answer = Promise.withResolvers<void>();
  block(answer.promise);
  const [calledBefore, endedBefore] = [calls(), ends()];
  const before = await memory();
  await queue.enqueueAll(Array.from({ length: sessions }, () => ({ prompt: "Hello" })));
  await untilCalls(calledBefore + sessions);
  const after = await memory();
  answer.resolve();
  await untilEnds(endedBefore + sessions);
  return { heap: [(after.heap - before.heap) / sessions / 1e3], resident: [(after.resident - before.resident) / sessions / 1e3] };
}

async function memory(): Promise<{ heap: number; resident: number }> {
  // Twice, since finalizers run in between.
  for (let round = 0; round < 2; round += 1) {
    globalThis.gc?.();
    await wait(50);
  }
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, resident: rss };
}

/** Milliseconds from the death of a worker until another one has called the model for its job. */
async function measureTakeOver({ queue, start, calls, untilCalls }: Bench, url: string, rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await queue.enqueue({ prompt: "Hello" });
    const child = spawn(process.execPath, [import.meta.filename, folder, "hold", url], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    const worker = start();
    const before = calls();
    const killed = performance.now();
    child.kill("SIGKILL");
    await untilCalls(before + 1);
    times.push(performance.now() - killed);
    await worker.stop();
  }
  return times;
}

/** The time of a job when many wait: of the last 100, and of the first 100 of a backlog. */
async function measureBacklog({ queue, start, untilEnds }: Bench, backlog: number) {
  const some = Array.from({ length: 100 }, () => ({ prompt: "Hello" }));
  const measure = async (ended: number) => {
    const worker = start();
    await untilEnds(ended + 20);
    const begun = performance.now();
    await untilEnds(ended + 100);
    const time = (performance.now() - begun) / 80;
    await worker.stop();
    return time;
  };
  await queue.enqueueAll(some);
  const together = await measure(0);
  await queue.enqueueAll(Array.from({ length: backlog }, () => ({ prompt: "Hello" })));
  return { together: [together], behind: [await measure(100)] };
}
