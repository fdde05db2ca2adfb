import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { cli } from "./lib/agents.ts";
import { cpuMicroseconds, residentBytes } from "./lib/process-usage.ts";
import { getState, prompt, waitForRunEnd, waitForState } from "./lib/records.ts";
import { RpcProcess } from "./lib/rpc-process.ts";
import { Served } from "./lib/served.ts";
import { type Result, summarize } from "./lib/statistics.ts";
import { inTemporaryFolder, makeWorkplace, type Workplace } from "./lib/workplace.ts";
import type { Stage } from "./programs/many-sessions.ts";
import type { WatchPlan, WatchResult } from "./programs/serve-watchers.ts";

/** Sessions in the memory of the server, those of them that stream at once, and the clients that watch each of these. */
const live = 500;
const streaming = 100;
const watchers = 3;
const load: Stage = { sessions: streaming, deltas: 300, rate: 20 };
/** One session over stdio. Each of its deltas is read by itself too. */
const alone: Stage = { sessions: 1, deltas: 2000, rate: 200 };
/** Requests at a time while sessions are begun. */
const parallel = 20;
const settleMs = 500;

interface Loaded extends WatchResult {
  /** CPU time of the server a delta of a session, however many clients got it. */
  cpu: number;
  /** Memory that each idle session takes, in bytes. */
  sessionBytes: number;
}

/**
 * A server with 500 live sessions, 100 of which stream at once to three clients each: CPU time a delta against one session over stdio, how late
 * deltas come, and the memory of a session. A round takes half a minute, so there are a seventh of `rounds`.
 */
export async function serveLoad(rounds: number): Promise<Result[]> {
  const provider = spawn(process.execPath, [join(import.meta.dirname, "programs/many-sessions-server.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    const [address] = await once(provider.stdout, "data");
    const url = String(address).trim();
    const stdio: number[] = [];
    const served: Loaded[] = [];
    for (let round = 0; round < Math.ceil(rounds / 7); round += 1) {
      await inTemporaryFolder(async (root) => {
        stdio.push(await measureAlone(await makeWorkplace(root, "stdio", at(url, alone))));
        served.push(await measureServer(await makeWorkplace(root, "serve", at(url, load))));
      });
    }
    const base = summarize("one session over stdio, CPU a delta", "µs", stdio);
    const row = (name: string, unit: "µs" | "ms" | "kB", pick: (each: Loaded) => number, limit?: number | { atMost: number }) =>
      summarize(name, unit, served.map(pick), typeof limit === "number" ? base : undefined, limit);
    return [
      base,
      row(`${streaming} of ${live} stream to ${watchers} clients each, CPU a delta`, "µs", ({ cpu }) => cpu, 1.5),
      row("the same, a delta comes after, median", "ms", ({ delayP50 }) => delayP50),
      row("the same, a delta comes after, p99", "ms", ({ delayP99 }) => delayP99),
      row("a live session", "kB", ({ sessionBytes }) => sessionBytes / 1000, { atMost: 1000 }),
    ];
  } finally {
    provider.stdin.end();
    provider.kill();
  }
}

function at(url: string, { sessions, deltas, rate }: Stage): { url: string; api: string } {
  return { url: `${url}/${sessions}/${deltas}/${rate}`, api: "anthropic-messages" };
}

async function measureAlone(workplace: Workplace): Promise<number> {
  const command = [process.execPath, cli, "--mode", "rpc", "--no-session", "--stream", "deltas"];
  await using agent = new RpcProcess(command, workplace);
  agent.send(getState);
  await waitForState(agent);
  await wait(settleMs);
  const before = cpuMicroseconds(agent.pid);
  agent.send(prompt("Go"));
  await waitForRunEnd(agent);
  return (cpuMicroseconds(agent.pid) - before) / alone.deltas;
}

async function measureServer(workplace: Workplace): Promise<Loaded> {
  await using server = await Served.start(workplace);
  const { pid, token } = server;
  let watching: ChildProcess | undefined;
  try {
    await server.begin(1);
    await wait(settleMs);
    const before = residentBytes(pid);
    const ids = await server.begin(live - 1, parallel);
    await wait(settleMs);
    const sessionBytes = (residentBytes(pid) - before) / (live - 1);
    const busy = ids.slice(0, streaming);
    watching = fork(join(import.meta.dirname, "programs/serve-watchers.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    const urls = server.eventsOf(busy).flatMap((url) => Array.from({ length: watchers }, () => url));
    watching.send({ urls, token } satisfies WatchPlan);
    await once(watching, "message");
    const cpuBefore = cpuMicroseconds(pid);
    const result = once(watching, "message");
    await Promise.all(busy.map((id) => server.command(id, { type: "prompt", message: "Go" })));
    const [found] = (await result) as [WatchResult];
    const cpu = (cpuMicroseconds(pid) - cpuBefore) / (streaming * load.deltas);
    return { ...found, cpu, sessionBytes };
  } finally {
    watching?.kill();
  }
}
