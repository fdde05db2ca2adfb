import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Result, summarize } from "./lib/statistics.ts";
import type { Measurement, Stage } from "./programs/many-sessions.ts";

const run = promisify(execFile);
const programs = join(import.meta.dirname, "programs");

/** As many deltas in all, however many sessions share them. */
const flood = [1, 10, 50, 200].map((sessions): Stage => ({ sessions, deltas: 200_000 / sessions, rate: 0 }));
/** Each delta is read by itself. 200 sessions get 10,000 a second in all. */
const steady: readonly Stage[] = [
  { sessions: 1, deltas: 200, rate: 200 },
  { sessions: 10, deltas: 200, rate: 200 },
  { sessions: 50, deltas: 200, rate: 200 },
  { sessions: 200, deltas: 50, rate: 50 },
];
/** More than one process can read one by one. */
const overload: Stage = { sessions: 200, deltas: 300, rate: 300 };
const stages = [...flood, ...steady, overload];

/**
 * Many sessions that stream at once in one process: the CPU time of a delta, which must not depend on how many there are, and fairness: the
 * longest time that a session was kept waiting for its next delta, the worst session against the one in the middle. What stops the
 * whole process, such as a busy machine or a garbage collection, keeps all of them waiting alike. A round takes some 20 seconds, so there
 * are a third of `rounds`.
 */
export async function manySessions(rounds: number, { isFull = false }: { isFull?: boolean } = {}): Promise<Result[]> {
  const measurements = await measure(isFull ? rounds : Math.ceil(rounds / 3));
  const of = (stage: Stage) => measurements.filter(({ index }) => stages[index] === stage);
  const cpu = (stage: Stage, who: "sessions" | "bare") => of(stage).map((measurement) => measurement[who]);

  const [alone, ...together] = flood.map((stage) => ({ stage, times: cpu(stage, "sessions") }));
  const base = summarize("1,000 deltas, 1 session", "ms", alone?.times ?? []);
  const results = [base];
  for (const { stage, times } of together) {
    results.push(summarize(`the same, ${stage.sessions} sessions`, "ms", times, base, 1.5));
  }
  for (const stage of steady) {
    const bare = summarize(`${stage.sessions} bare at ${stage.rate}/s, 1,000 d.`, "ms", cpu(stage, "bare"));
    results.push(bare, summarize(`${counted(stage)} at ${stage.rate}/s`, "ms", cpu(stage, "sessions"), bare, 2));
  }
  for (const stage of [steady.at(-1) as Stage, overload]) {
    const waits = of(stage);
    const name = `${stage.sessions} at ${stage.rate}/s, longest wait`;
    const median = summarize(
      name,
      "ms",
      waits.map(({ medianWait }) => medianWait),
    );
    const worst = waits.map(({ worstWait }) => worstWait);
    results.push(median, summarize("the same, worst session", "ms", worst, median, 3));
  }
  return results;
}

function counted({ sessions }: Stage): string {
  return sessions === 1 ? "1 session" : `${sessions} sessions`;
}

async function measure(rounds: number): Promise<(Measurement & { index: number })[]> {
  const server = spawn(process.execPath, [join(programs, "many-sessions-server.ts")], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const [address] = await once(server.stdout, "data");
    const plan = stages.map((stage) => JSON.stringify(stage));
    const args = ["--expose-gc", join(programs, "many-sessions.ts"), String(address).trim(), String(rounds), ...plan];
    const { stdout } = await run(process.execPath, args);
    const lines = stdout.split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line) as Measurement & { index: number });
  } finally {
    server.stdin.end();
    server.kill();
  }
}
