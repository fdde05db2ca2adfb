import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { type Agent, type AgentOptions, agents } from "./lib/agents.ts";
import { stripTypes } from "./lib/bundle-sdk.ts";
import { cpuMicroseconds, peakResidentBytes } from "./lib/process-usage.ts";
import { lastWord, type Pace, type Provider, promptFor, startProvider } from "./lib/provider.ts";
import { askForDeltas, getState, prompt, waitForRunEnd, waitForState } from "./lib/records.ts";
import { patienceMs, RpcProcess } from "./lib/rpc-process.ts";
import { type Result, summarize } from "./lib/statistics.ts";
import { type Program, type SeriesView, summarizeSeries, takeTurns, valuesOf } from "./lib/turns.ts";
import { inTemporaryFolder, makeWorkplace, type Workplace } from "./lib/workplace.ts";

const deltas = 10_000;
/** From the first, short reply on: what is loaded in the background is there then. */
const pauseMs = 300;
const settleMs = 50;
/** Between two reads of the slow reader; each takes what a stream buffers, 64 KB. */
const slowReadMs = 20;

const wires: readonly { api: string; paces: readonly Pace[] }[] = [
  { api: "anthropic-messages", paces: ["one by one", "in bulk"] },
  { api: "openai-completions", paces: ["one by one", "in bulk"] },
];

interface Reply {
  /** A delta. */
  cpuMicroseconds: number;
  /** On stdout, a delta. */
  bytes: number;
}

interface SlowReply {
  milliseconds: number;
  peakBytes: number;
}

/**
 * A reply of 10,000 deltas: CPU time and bytes on stdout a delta, against a program that fetches, parses and prints; and the memory it takes
 * in snapshots mode when the reader is slow. A round takes ten seconds, so there are a third as many as asked for.
 */
export async function stream(rounds: number, options: AgentOptions = {}): Promise<Result[]> {
  await using provider = await startProvider();
  return await inTemporaryFolder(async (root) => [
    ...(await measureDeltas(root, provider, Math.ceil(rounds / 3), options)),
    ...(await measureSlowReader(root, provider, Math.ceil(rounds / 7), options)),
  ]);
}

async function measureDeltas(root: string, provider: Provider, rounds: number, options: AgentOptions): Promise<Result[]> {
  const script = join(root, "print-deltas.mjs");
  await stripTypes(join(import.meta.dirname, "programs/print-deltas.ts"), script);
  const programs = new Map<string, Program<Reply>>();
  const kinds = wires.flatMap(({ api, paces }) => paces.map((pace) => ({ api, pace, kind: `${pace}, ${api}` })));
  const all = agents(options, "--stream", "deltas");
  for (const { api, pace, kind } of kinds) {
    const path = api === "openai-completions" ? "/chat/completions" : "/messages";
    const bare = [process.execPath, script, `${provider.url}${path}`];
    const workplace = await makeWorkplace(root, `bare ${kind}`);
    programs.set(`bare loop, ${kind}`, { run: () => measureReply(bare, workplace, pace) });
    for (const { name, command, isForeign } of all) {
      const workplace = await makeWorkplace(root, `${name} ${kind}`, { url: provider.url, api });
      const run = () => measureReply(command, workplace, pace, { asksForDeltas: isForeign });
      programs.set(`${name}, ${kind}`, { run, mayFail: isForeign });
    }
  }
  const series = await takeTurns(rounds, programs, 1);
  const row = ({ name, isForeign }: Agent, kind: string, what: string, view: SeriesView<Reply>) => {
    const limit = isForeign ? undefined : view.limit;
    return summarizeSeries(series, `${name}, ${kind}`, { ...view, title: `${name}, ${kind}, ${what}`, limit });
  };
  const cpu = kinds.flatMap(({ kind }): Result[] => {
    const times = valuesOf(series, `bare loop, ${kind}`).map(({ cpuMicroseconds }) => cpuMicroseconds);
    const base = summarize(`bare loop, ${kind}, CPU`, "µs", times);
    const pick = ({ cpuMicroseconds }: Reply) => cpuMicroseconds;
    return [base, ...all.map((agent) => row(agent, kind, "CPU", { unit: "µs", pick, base, limit: 1.5 }))];
  });
  const bytes = kinds.flatMap(({ kind }) =>
    all.map((agent) => row(agent, kind, "stdout", { unit: "bytes", pick: (reply) => reply.bytes, limit: { atMost: 150 } })),
  );
  return [...cpu, ...bytes];
}

/** The CPU time and the bytes of a reply over HTTP. */
export async function measureReply(
  command: readonly string[],
  workplace: Workplace,
  pace: Pace,
  { asksForDeltas = false } = {},
): Promise<Reply> {
  await using agent = new RpcProcess(command, workplace);
  agent.send(getState);
  await waitForState(agent);
  if (asksForDeltas) await askForDeltas(agent);
  agent.send(prompt(promptFor(20, pace)));
  await waitForRunEnd(agent);
  await wait(pauseMs);
  const before = { cpu: cpuMicroseconds(agent.pid), bytes: agent.bytesRead };
  await readReply(agent, pace);
  await wait(settleMs);
  return {
    cpuMicroseconds: (cpuMicroseconds(agent.pid) - before.cpu) / deltas,
    bytes: (agent.bytesRead - before.bytes) / deltas,
  };
}

async function readReply(agent: RpcProcess, pace: Pace): Promise<void> {
  agent.send(prompt(promptFor(deltas, pace)));
  const { line } = await waitForRunEnd(agent);
  if (!line.includes(lastWord(deltas))) throw new Error(`the answer lacks its last word: ${line.slice(-200)}`);
}

async function measureSlowReader(root: string, provider: Provider, rounds: number, options: AgentOptions): Promise<Result[]> {
  const programs = new Map<string, Program<SlowReply>>();
  for (const { name, command, isForeign } of agents(options)) {
    const workplace = await makeWorkplace(root, `${name}, slow`, { url: provider.url, api: "anthropic-messages" });
    programs.set(`${name}, snapshots, slow reader`, { run: () => replyToSlowReader(command, workplace), mayFail: isForeign });
  }
  const series = await takeTurns(rounds, programs, 0);
  return agents(options).flatMap(({ name, isForeign }) => [
    summarizeSeries(series, `${name}, snapshots, slow reader`, {
      title: `${name}, snapshots, slow reader, peak memory`,
      unit: "MB",
      pick: ({ peakBytes }) => peakBytes / 1e6,
      limit: isForeign ? undefined : { atMost: 250 },
    }),
    summarizeSeries(series, `${name}, snapshots, slow reader`, { unit: "ms", pick: ({ milliseconds }) => milliseconds }),
  ]);
}

async function replyToSlowReader(command: readonly string[], workplace: Workplace): Promise<SlowReply> {
  await using agent = new RpcProcess(command, { ...workplace, pace: readSlowly });
  agent.send(getState);
  await waitForState(agent);
  const start = performance.now();
  try {
    await readReply(agent, "one by one");
  } catch (error) {
    const peak = performance.now() - start < patienceMs ? "" : `; peak memory ${Math.round(peakResidentBytes(agent.pid) / 1e6)} MB`;
    throw new Error(`${(error as Error).message}${peak}`, { cause: error });
  }
  return { milliseconds: performance.now() - start, peakBytes: peakResidentBytes(agent.pid) };
}

function readSlowly(output: Readable): void {
  output.pause();
  const timer = setInterval(() => output.read(), slowReadMs);
  output.once("close", () => clearInterval(timer));
}
