import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { agents } from "./lib/agents.ts";
import { forgetPeak, peakResidentBytes, residentBytes } from "./lib/process-usage.ts";
import { getState, waitForState } from "./lib/records.ts";
import { RpcProcess } from "./lib/rpc-process.ts";
import { Served } from "./lib/served.ts";
import { writeSessionFile } from "./lib/session-file.ts";
import { type Result, summarize } from "./lib/statistics.ts";
import type { Workplace } from "./lib/workplace.ts";

/** After the session was opened, in which the process prepares for its first prompt. */
const warmUpMs = 1000;
/** In MB. */
const budget = { atMost: 120 };
/** The commands of a row, each of which is answered with all of the session. */
const rows = [
  { what: "the messages and entries", commands: ["get_messages", "get_entries", "get_messages"] },
  { what: "the tree", commands: ["get_tree"] },
];

/** How much more memory a process has at most while it sends all of a long session: over RPC, and as the answers of `pi serve`. */
export async function sendLongSession(workplace: Workplace, megabytes: number): Promise<Result[]> {
  const folder = join(workplace.cwd, "..", "sessions");
  await mkdir(folder);
  const path = join(folder, "long.jsonl");
  writeSessionFile(path, workplace.cwd, { bytes: megabytes * 1e6 });
  const results: Result[] = [];
  for (const [sender, open] of [["pi", openRpc] as const, ["pi serve", openServed] as const]) {
    for (const { what, commands } of rows) {
      await using session = await open(workplace, path);
      const name = `${sender}, more while it sends ${what} of a session of ${megabytes} MB`;
      results.push(summarize(name, "MB", [(await growthOf(session, commands)) / 1e6], undefined, budget));
    }
  }
  return results;
}

/** A process with the session open. */
interface OpenSession extends AsyncDisposable {
  pid: number;
  /** Resolves when all of the answer was read. */
  ask(command: string): Promise<void>;
}

/** In bytes. */
async function growthOf(session: OpenSession, commands: readonly string[]): Promise<number> {
  await wait(warmUpMs);
  const before = residentBytes(session.pid);
  forgetPeak(session.pid);
  let peak = before;
  for (const command of commands) {
    await session.ask(command);
    peak = Math.max(peak, peakResidentBytes(session.pid));
  }
  return peak - before;
}

async function openRpc(workplace: Workplace, path: string): Promise<OpenSession> {
  const [pi] = agents({}, "--session", path);
  const command = pi?.command.filter((word) => word !== "--no-session") ?? [];
  const agent = new RpcProcess(command, workplace);
  agent.send(getState);
  await waitForState(agent);
  return {
    pid: agent.pid,
    async ask(type) {
      agent.send({ type });
      await agent.waitFor(`answer to ${type}`, (line) => line.startsWith(`{"type":"response","command":"${type}"`));
    },
    [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose](),
  };
}

async function openServed(workplace: Workplace, path: string): Promise<OpenSession> {
  const server = await Served.start(workplace);
  const { sessionId } = await server.post("/v1/sessions", { session: { path } });
  return {
    pid: server.pid,
    async ask(type) {
      const response = await server.send(`/v1/sessions/${sessionId}/commands`, { type });
      if (response.statusCode !== 200) throw new Error(`${type} was answered with ${response.statusCode}.`);
      for await (const _ of response);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
