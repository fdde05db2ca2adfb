import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { cli } from "./lib/agents.ts";
import { cpuMicroseconds, residentBytes } from "./lib/process-usage.ts";
import { lastWord, type Provider, promptFor, startProvider } from "./lib/provider.ts";
import { PtyProgram } from "./lib/pty.ts";
import { writeSessionFile } from "./lib/session-file.ts";
import { type Result, summarize } from "./lib/statistics.ts";
import { takeTurns, valuesOf } from "./lib/turns.ts";
import { inTemporaryFolder, makeWorkplace, type Workplace } from "./lib/workplace.ts";

const deltas = 10_000;
/** The keys that are typed while an answer streams, and the time between them. */
const keys = 200;
const betweenKeysMs = 15;
/** The entries of the session that is resumed. */
const entries = 5000;

/** `pi` on a terminal: the first paint, the time until all is loaded, a stream of 10,000 deltas, the echo of keys during one, a long session. */
export async function terminal(rounds: number): Promise<Result[]> {
  await using provider = await startProvider();
  return await inTemporaryFolder(async (root) => [
    ...(await measureStart(root, provider, rounds)),
    ...(await measureStream(root, provider, Math.ceil(rounds / 5))),
    ...(await measureEcho(root, provider)),
  ]);
}

/** `pi` as users call it. */
function command(...args: string[]): string[] {
  return [process.execPath, cli, ...args];
}

async function measureStart(root: string, provider: Provider, rounds: number): Promise<Result[]> {
  const workplace = await makeWorkplace(root, "start", { url: provider.url, api: "openai-completions" });
  const long = await makeWorkplace(root, "long", { url: provider.url, api: "openai-completions" });
  const session = join(root, "long.jsonl");
  writeSessionFile(session, long.cwd, { entries });
  const series = await takeTurns(
    rounds,
    new Map([
      ["bare", { run: async () => ({ first: await startBare(workplace), loaded: 0, bytes: 0 }) }],
      ["pi", { run: () => startTerminal(command(), workplace) }],
      ["resume", { run: () => startTerminal(command("--session", session, "--model", "bench/bench"), long) }],
    ]),
  );
  const of = (name: string, pick: (start: Start) => number) => valuesOf(series, name).map(pick);
  const bare = summarize(
    "bare node -e 0, spawn to exit",
    "ms",
    of("bare", ({ first }) => first),
  );
  return [
    bare,
    summarize(
      "first paint",
      "ms",
      of("pi", ({ first }) => first),
      bare,
      2,
    ),
    summarize(
      "everything loaded",
      "ms",
      of("pi", ({ loaded }) => loaded),
      bare,
      4,
    ),
    summarize(
      "resident then",
      "MB",
      of("pi", ({ bytes }) => bytes / 1e6),
      undefined,
      { atMost: 80 },
    ),
    summarize(
      `a session of ${entries} entries resumed and painted`,
      "ms",
      of("resume", ({ loaded }) => loaded),
      undefined,
      { atMost: 300 },
    ),
  ];
}

interface Start {
  /** Milliseconds from the spawn to the first paint. */
  first: number;
  /** Milliseconds from the spawn to the line with the model. */
  loaded: number;
  bytes: number;
}

async function startBare({ cwd, env }: Workplace): Promise<number> {
  const start = performance.now();
  await once(spawn(process.execPath, ["-e", "0"], { cwd, env, stdio: "ignore" }), "exit");
  return performance.now() - start;
}

async function startTerminal(program: readonly string[], workplace: Workplace): Promise<Start> {
  await using pi = new PtyProgram(program, workplace);
  const first = (await pi.waitFor("› ")) - pi.startedAt;
  const loaded = (await pi.waitFor("· bench")) - pi.startedAt;
  return { first, loaded, bytes: residentBytes(pi.pid) };
}

/** CPU time and bytes of 10,000 deltas, in the terminal and in text mode: what a reply of them takes more than one of a single delta. */
async function measureStream(root: string, provider: Provider, rounds: number): Promise<Result[]> {
  const workplace = await makeWorkplace(root, "stream", { url: provider.url, api: "openai-completions" });
  const measure = async (args: readonly string[]) => {
    const [short, long] = [await streamOnce(args, 1, workplace), await streamOnce(args, deltas, workplace)];
    return { cpu: (long.cpu - short.cpu) / deltas, bytes: long.bytes - short.bytes };
  };
  const series = await takeTurns(
    rounds,
    new Map([
      ["text", { run: () => measure(["--mode", "text"]) }],
      ["terminal", { run: () => measure([]) }],
    ]),
    1,
  );
  const cpu = (name: string) => valuesOf(series, name).map((each) => each.cpu);
  const text = summarize("CPU a delta, text mode", "µs", cpu("text"));
  const length = Array.from({ length: deltas }, (_, index) => `word${index} `).join("").length;
  const plain = summarize("the text", "kB", [length / 1000]);
  const written = valuesOf(series, "terminal").map(({ bytes }) => bytes / 1000);
  return [
    text,
    summarize("CPU a delta, terminal", "µs", cpu("terminal"), text, 3),
    plain,
    summarize("written to the terminal for it", "kB", written, plain, 4),
  ];
}

async function streamOnce(args: readonly string[], count: number, workplace: Workplace): Promise<{ cpu: number; bytes: number }> {
  const program = command(...args, "--no-session", promptFor(count, "one by one"));
  await using pi = new PtyProgram(program, workplace);
  await pi.waitFor(lastWord(count).trim());
  return { cpu: cpuMicroseconds(pi.pid), bytes: Buffer.byteLength(pi.written) };
}

/** Milliseconds from a key to its echo while an answer streams. */
async function measureEcho(root: string, provider: Provider): Promise<Result[]> {
  const workplace = await makeWorkplace(root, "echo", { url: provider.url, api: "openai-completions" });
  await using pi = new PtyProgram(command("--no-session"), workplace);
  await pi.waitFor("· bench");
  const times: number[] = [];
  while (times.length < keys) {
    pi.type(`${promptFor(deltas, "one by one")}\r`);
    const before = pi.written.length;
    await pi.waitFor("word10", before);
    // The answer has no q.
    while (times.length < keys && !pi.written.includes(lastWord(deltas).trim(), before)) {
      const start = pi.written.length;
      const typedAt = performance.now();
      pi.type("q");
      times.push((await pi.waitFor("q", start)) - typedAt);
      await wait(betweenKeysMs);
    }
    pi.type("\x15");
    await pi.waitFor(lastWord(deltas).trim(), before);
    await wait(500);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  return [
    summarize("key to echo while an answer streams", "ms", times),
    summarize("the same, 99th percentile", "ms", [p99], undefined, { atMost: 10 }),
  ];
}
