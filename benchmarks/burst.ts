import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Delay } from "./lib/loop-delay.ts";
import { type Result, summarize } from "./lib/statistics.ts";
import type { Burst } from "./programs/burst.ts";
import { type ServeBurst, serveBursts } from "./serve-burst.ts";

const run = promisify(execFile);
const programs = join(import.meta.dirname, "programs");
const sessions = 300;

/** What the model answers to each session: so many deltas, and so many of them a second (0: as fast as they are read). */
const answers = [
  { name: "20/s", deltas: 100, rate: 20, limits: { p99: 25, max: 60 } },
  { name: "full speed", deltas: 1000, rate: 0, limits: { p99: 100, max: 100 } },
];

/** Of the model of `pi serve`. */
const servedAnswer = { deltas: 40, rate: 20 };
const servedLimits = { p99: 25, max: 60 };

/**
 * 300 sessions of one process get a prompt at once: how late the event loop is from then to the last end, beside bare requests that do the
 * same. "CPU" is the most CPU time of the main thread between two of its timers, which other programs of the machine do not lengthen.
 */
export async function burst(rounds: number): Promise<Result[]> {
  const results: Result[] = [];
  for (const { name, deltas, rate, limits } of answers) {
    const bursts = await measure(Math.ceil(rounds / 3), [deltas, rate]);
    const row = (title: string, pick: (burst: Burst) => number, atMost?: number) =>
      results.push(summarize(title, "ms", bursts.map(pick), undefined, atMost === undefined ? undefined : { atMost }));
    const rows = (title: string, of: (burst: Burst) => Delay, most?: { p99: number; max: number }) => {
      row(`${title}: late, p99`, (each) => of(each).p99, most?.p99);
      row(`${title}: late at most`, (each) => of(each).max, most?.max);
      row(`${title}: longest turn, CPU`, (each) => of(each).cpu, most?.max);
    };
    rows(`${sessions} bare, ${name}`, ({ bare }) => bare);
    rows(`${sessions} prompts, ${name}`, ({ prompted }) => prompted, limits);
    row(`${sessions} created, ${name}: longest turn, CPU`, ({ created }) => created.cpu);
  }
  return [...results, ...(await servedRows(Math.ceil(rounds / 7)))];
}

/** The same sessions in a fresh `pi serve`, seen from the inside of its process. */
async function servedRows(rounds: number): Promise<Result[]> {
  const bursts = await serveBursts(rounds, { sessions, ...servedAnswer });
  const rows = (title: string, pick: (burst: ServeBurst) => Delay) => [
    summarize(
      `${title}: late, p99`,
      "ms",
      bursts.map((burst) => pick(burst).p99),
      undefined,
      { atMost: servedLimits.p99 },
    ),
    summarize(
      `${title}: late at most`,
      "ms",
      bursts.map((burst) => pick(burst).max),
      undefined,
      { atMost: servedLimits.max },
    ),
    summarize(
      `${title}: longest turn, CPU`,
      "ms",
      bursts.map((burst) => pick(burst).cpu),
      undefined,
      { atMost: servedLimits.max },
    ),
  ];
  return [
    ...rows(`pi serve, ${sessions} sessions begun`, ({ created }) => created),
    ...rows(`pi serve, its first ${sessions} prompts`, ({ first }) => first),
    ...rows(`pi serve, the next ${sessions}`, ({ next }) => next),
  ];
}

async function measure(rounds: number, answer: readonly number[]): Promise<Burst[]> {
  const server = spawn(process.execPath, [join(programs, "many-sessions-server.ts")], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const [address] = await once(server.stdout, "data");
    const args = [join(programs, "burst.ts"), String(address).trim(), rounds, sessions, ...answer].map(String);
    const { stdout } = await run(process.execPath, args);
    const lines = stdout.split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line) as Burst);
  } finally {
    server.stdin.end();
    server.kill();
  }
}
