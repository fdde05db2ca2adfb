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
    const rows = (title: string, pick: (burst: Burst) => Delay, limits?: Limits, shown?: readonly Figure[]) =>
      results.push(...delayRows(`${sessions} ${title}, ${name}`, bursts.map(pick), limits, shown));
    rows("bare", ({ bare }) => bare);
    rows("prompts", ({ prompted }) => prompted, limits);
    rows("created", ({ created }) => created, undefined, [longestTurn]);
  }
  return [...results, ...(await servedRows(Math.ceil(rounds / 7)))];
}

/** The same sessions in a fresh `pi serve`, seen from the inside of its process. */
async function servedRows(rounds: number): Promise<Result[]> {
  const bursts = await serveBursts(rounds, { sessions, ...servedAnswer });
  const rows = (title: string, pick: (burst: ServeBurst) => Delay) => delayRows(title, bursts.map(pick), servedLimits);
  return [
    ...rows(`pi serve, ${sessions} sessions begun`, ({ created }) => created),
    ...rows(`pi serve, its first ${sessions} prompts`, ({ first }) => first),
    ...rows(`pi serve, the next ${sessions}`, ({ next }) => next),
  ];
}

/** In milliseconds. */
interface Limits {
  p99: number;
  max: number;
}

/** A row of the table, and the limit that it has. */
interface Figure {
  name: string;
  of: keyof Delay;
  limit: keyof Limits;
}

const longestTurn: Figure = { name: "longest turn, CPU", of: "cpu", limit: "max" };
const figures: readonly Figure[] = [
  { name: "late, p99", of: "p99", limit: "p99" },
  { name: "late at most", of: "max", limit: "max" },
  longestTurn,
];

/** @param limits - Default: none. */
function delayRows(title: string, delays: readonly Delay[], limits?: Limits, shown = figures): Result[] {
  return shown.map(({ name, of, limit }) => {
    const times = delays.map((delay) => delay[of]);
    return summarize(`${title}: ${name}`, "ms", times, undefined, limits && { atMost: limits[limit] });
  });
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
