import { execFile } from "node:child_process";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { cli } from "./lib/agents.ts";
import { cpuMicroseconds } from "./lib/process-usage.ts";
import { lastWord, type Pace, startProvider } from "./lib/provider.ts";
import { prompt, waitForDelta, waitForRunEnd } from "./lib/records.ts";
import { RpcProcess } from "./lib/rpc-process.ts";
import { type Result, summarize } from "./lib/statistics.ts";
import { type Program, summarizeSeries, takeTurns, valuesOf } from "./lib/turns.ts";
import { inTemporaryFolder, makeWorkplace, type Workplace } from "./lib/workplace.ts";
import { measureReply } from "./stream.ts";

const run = promisify(execFile);
const deltas = 10_000;
const paces: readonly Pace[] = ["one by one", "in bulk"];
/** As in `programs/provider.ts`. */
const pauseMs = 0.2;
const bulkLength = 64 * 1024;
/** As in `stream.ts`. */
const loadMs = 300;
const settleMs = 50;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

interface HostReply {
  /** A delta. */
  cpuMicroseconds: number;
  /** From the host's first delta, as it is written, to the one on stdout. */
  firstDeltaMs: number;
}

/**
 * A reply of 10,000 deltas that the host streams: CPU time a delta against the same reply over HTTP, and the time of its first delta. And 20 calls
 * at once against one.
 */
export async function hostModels(rounds: number): Promise<Result[]> {
  await using provider = await startProvider();
  return await inTemporaryFolder(async (root) => {
    const programs = new Map<string, Program<HostReply>>();
    for (const pace of paces) {
      const api = "anthropic-messages";
      const overHttp = await makeWorkplace(root, `http ${pace}`, { url: provider.url, api });
      const ofHost = await makeWorkplace(root, `host ${pace}`);
      const command = [process.execPath, cli, "--mode", "rpc", "--no-session", "--stream", "deltas"];
      programs.set(`HTTP adapter, ${pace}`, {
        run: async () => ({ ...(await measureReply(command, overHttp, pace)), firstDeltaMs: 0 }),
      });
      programs.set(`host model, ${pace}`, { run: () => measureHost([...command, "--model", "host/bench"], ofHost, pace) });
    }
    const series = await takeTurns(Math.ceil(rounds / 3), programs, 1);
    const cpu = paces.flatMap((pace): Result[] => {
      const pick = (reply: HostReply) => reply.cpuMicroseconds;
      const base = summarize(`HTTP adapter, ${pace}, CPU`, "µs", valuesOf(series, `HTTP adapter, ${pace}`).map(pick));
      const title = `host model, ${pace}, CPU`;
      return [base, summarizeSeries(series, `host model, ${pace}`, { title, unit: "µs", pick, base, limit: 1.3 })];
    });
    const first = summarizeSeries(series, "host model, one by one", {
      title: "host model, its first delta to ours",
      unit: "ms",
      pick: ({ firstDeltaMs }) => firstDeltaMs,
      limit: { atMost: 2 },
    });
    return [...cpu, first, ...(await measureCalls(rounds))];
  });
}

async function measureHost(command: readonly string[], workplace: Workplace, pace: Pace): Promise<HostReply> {
  await using agent = new RpcProcess(command, workplace);
  agent.send({ type: "set_host_models", models: [{ id: "bench", name: "bench", contextWindow: 1_000_000 }] });
  await answer(agent, 20, pace);
  await wait(loadMs);
  const before = cpuMicroseconds(agent.pid);
  const firstDeltaMs = await answer(agent, deltas, pace);
  await wait(settleMs);
  return { cpuMicroseconds: (cpuMicroseconds(agent.pid) - before) / deltas, firstDeltaMs };
}

/** Answers a prompt with so many deltas. Returns the milliseconds until the first one was on stdout. */
async function answer(agent: RpcProcess, count: number, pace: Pace): Promise<number> {
  const called = agent.waitFor("host_model_call", (line) => line.includes('"host_model_call"'));
  agent.send(prompt("Go"));
  const { id } = JSON.parse((await called).line) as { id: string };
  const event = (fields: object) => ({ type: "host_model_event", id, event: { ...fields, contentIndex: 0 } });
  const words = Array.from({ length: count }, (_, index) => event({ type: "text_delta", delta: `word${index} ` }));
  const ended = waitForRunEnd(agent);
  agent.send(event({ type: "text_start" }));
  await nextTurn();
  const seen = waitForDelta(agent);
  const startMs = performance.now();
  agent.send(words[0] as object);
  const firstDeltaMs = (await seen).at - startMs;
  await writeAll(agent, words.slice(1), pace);
  agent.send(event({ type: "text_end" }), { type: "host_model_result", id, stopReason: "stop" });
  const { line } = await ended;
  if (!line.includes(lastWord(count))) throw new Error(`the answer lacks its last word: ${line.slice(-200)}`);
  return firstDeltaMs;
}

async function writeAll(agent: RpcProcess, frames: readonly object[], pace: Pace): Promise<void> {
  const perWrite = pace === "one by one" ? 1 : Math.ceil(bulkLength / JSON.stringify(frames[0] ?? {}).length);
  for (let at = 0; at < frames.length; at += perWrite) {
    agent.send(...frames.slice(at, at + perWrite));
    await nextTurn();
    if (pace === "one by one") Atomics.wait(sleeper, 0, 0, pauseMs);
  }
}

/** CPU time of 20 calls of a model of this process at once, each of 10,000 deltas, against one after the other. */
async function measureCalls(rounds: number): Promise<Result[]> {
  const { stdout } = await run(process.execPath, [
    join(import.meta.dirname, "programs/host-calls.ts"),
    String(Math.ceil(rounds / 3)),
  ]);
  const times = JSON.parse(stdout) as { alone: number[]; together: number[] };
  const alone = summarize("20 calls, one after the other", "ms", times.alone);
  return [alone, summarize("20 calls at once", "ms", times.together, alone, 1.3)];
}
