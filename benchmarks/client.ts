import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { cli } from "./lib/agents.ts";
import { recordedRun } from "./lib/recorded-run.ts";
import { RpcProcess } from "./lib/rpc-process.ts";
import { type Result, summarize } from "./lib/statistics.ts";
import { type Program, summarizeSeries, takeTurns, valuesOf } from "./lib/turns.ts";
import { inTemporaryFolder, makeWorkplace, type Workplace } from "./lib/workplace.ts";

// By address, so that what is measured is what is shipped.
const { createPool, RpcClient } = (await import(
  new URL("../packages/rpc-client/dist/index.js", import.meta.url).href
)) as typeof import("../packages/rpc-client/src/index.ts");
type Client = InstanceType<typeof RpcClient>;

const recordedAgent = join(import.meta.dirname, "programs/recorded-agent.ts");
const answers = 5;
const deltasPerAnswer = 20_000;
const deltas = answers * deltasPerAnswer;
/** Microseconds a delta. */
const addedBudget = 3;
/** How long a fresh agent of the pool is left alone: it loads what its first prompt needs. In milliseconds. */
const pauseMs = 300;
const poolSize = 2;

/** What `RpcClient` costs over bare reading, and what a warm pool saves. */
export function client(rounds: number): Promise<Result[]> {
  return inTemporaryFolder(async (root) => [...(await measureReading(root, rounds)), ...(await measurePool(root, rounds))]);
}

/** CPU time of this process a delta. */
async function measureReading(root: string, rounds: number): Promise<Result[]> {
  const records = join(root, "records.jsonl");
  await writeFile(records, recordedRun(answers, deltasPerAnswer));
  const workplace = await makeWorkplace(root, "reading");
  const programs = new Map<string, Program<number>>([
    ["bare reading, CPU a delta", { run: () => readBare(records, workplace) }],
    ["client, CPU a delta", { run: () => readWithClient(records, workplace) }],
  ]);
  const all = await takeTurns(rounds, programs);
  const [bare = "", ours = ""] = programs.keys();
  const base = summarize(bare, "µs", valuesOf(all, bare));
  const added = valuesOf(all, ours).map((time, round) => time - (valuesOf(all, bare)[round] ?? Number.NaN));
  return [
    base,
    summarize(ours, "µs", valuesOf(all, ours), base),
    summarize("what the client adds", "µs", added, undefined, { atMost: addedBudget }),
  ];
}

async function readBare(records: string, workplace: Workplace): Promise<number> {
  let count = 0;
  await using agent = new RpcProcess([process.execPath, recordedAgent, records], workplace);
  const isEnd = (line: string) => {
    const { type, assistantMessageEvent } = JSON.parse(line) as { type: string; assistantMessageEvent?: { type: string } };
    if (type === "message_update" && assistantMessageEvent?.type === "text_delta") count += 1;
    return type === "agent_settled";
  };
  const before = process.cpuUsage();
  agent.send({ type: "prompt", id: "1" });
  await agent.waitFor("agent_settled", isEnd);
  return microsecondsSince(before, count);
}

async function readWithClient(records: string, { cwd, env }: Workplace): Promise<number> {
  const client = new RpcClient({ cliPath: recordedAgent, args: [records], cwd, env });
  let count = 0;
  client.onEvent((event) => {
    if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") count += 1;
  });
  await client.start();
  const before = process.cpuUsage();
  await client.promptAndWait("Go");
  const time = microsecondsSince(before, count);
  await client.stop();
  return time;
}

function microsecondsSince(before: NodeJS.CpuUsage, count: number): number {
  const { user, system } = process.cpuUsage(before);
  if (count !== deltas) throw new Error(`read ${count} deltas, expected ${deltas}`);
  return (user + system) / deltas;
}

interface Checkout {
  /** Until a started agent is there, in milliseconds. */
  client: number;
  /** Until the first event of its first prompt. */
  event: number;
}

async function measurePool(root: string, rounds: number): Promise<Result[]> {
  const { cwd, env } = await makeWorkplace(root, "pool");
  const options = { cliPath: cli, model: "demo/tour", noSession: true, cwd, env };
  const pool = createPool({ ...options, size: poolSize });
  const cold = "new client";
  const warm = "client of a warm pool";
  const programs = new Map<string, Program<Checkout>>([
    [cold, { run: () => checkOut(() => startClient(options)) }],
    [warm, { run: () => untilWarm().then(() => checkOut(() => pool.acquire())) }],
  ]);
  const all = await takeTurns(rounds, programs).finally(() => pool.close());
  const rows = (what: string, pick: (checkout: Checkout) => number): Result[] => {
    const base = summarize(`${cold}, ${what}`, "ms", valuesOf(all, cold).map(pick));
    return [base, summarizeSeries(all, warm, { title: `${warm}, ${what}`, unit: "ms", pick, base })];
  };
  return [...rows("in hand", (checkout) => checkout.client), ...rows("first event", (checkout) => checkout.event)];

  async function untilWarm(): Promise<void> {
    while (pool.state.warm < poolSize) await wait(20);
    await wait(pauseMs);
  }
}

async function startClient(options: ConstructorParameters<typeof RpcClient>[0]): Promise<Client> {
  const client = new RpcClient(options);
  await client.start();
  return client;
}

async function checkOut(get: () => Promise<Client>): Promise<Checkout> {
  const began = performance.now();
  const client = await get();
  const inHand = performance.now() - began;
  const first = new Promise((resolve) => client.onEvent(resolve));
  await client.prompt("Show me around");
  await first;
  const event = performance.now() - began;
  await client.stop();
  return { client: inHand, event };
}
