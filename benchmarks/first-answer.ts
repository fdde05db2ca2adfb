import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { type AgentOptions, agents, cli } from "./lib/agents.ts";
import { residentBytes } from "./lib/process-usage.ts";
import { getState, waitForState } from "./lib/records.ts";
import { RpcProcess } from "./lib/rpc-process.ts";
import { type Result, summarize } from "./lib/statistics.ts";
import { type Program, summarizeSeries, takeTurns, valuesOf } from "./lib/turns.ts";
import { inTemporaryFolder, makeWorkplace, type Workplace } from "./lib/workplace.ts";

const bare = "bare node -e 0, spawn to exit";
const waiting = "bare node that waits";
// fs.writeSync, because process.stdout would load streams into a Node that is to be bare.
const wait = 'fs.writeSync(1, ".\\n"); setTimeout(() => {}, 1e6)';

/** How a start is prepared and judged. */
interface Kind {
  /** Whether the compile cache is empty. Default: false. */
  isFirst?: boolean;
  /** The budget, as a ratio to the bare Node. Default: 2. */
  limit?: number;
  /** Serves the default model, as files of the agent folder name it. Default: there are no such files. */
  provider?: { url: string; api: string };
}

interface Start {
  /** Spawn to what is waited for. */
  milliseconds: number;
  /** Resident memory then. */
  bytes: number;
}

/**
 * Spawn to the first `get_state` answer, and resident memory then, against a Node that does nothing. Each kind of start has a compile
 * cache of its own, and the first start one that is empty.
 */
export function firstAnswer(rounds: number, options: AgentOptions = {}): Promise<Result[]> {
  return inTemporaryFolder(async (root) => {
    const bareWorkplace = await makeWorkplace(root, "bare");
    const programs = new Map<string, Program<Start>>([
      [bare, { run: () => startAndExit([process.execPath, "-e", "0"], bareWorkplace) }],
      [waiting, { run: () => startAndWait([process.execPath, "-e", wait], bareWorkplace) }],
    ]);
    const ours: { name: string; limit?: number; memoryLimit?: number }[] = [];
    for (const { name, command, isForeign } of agents(options)) {
      const add = async (kind: string, env: NodeJS.ProcessEnv, { isFirst = false, limit = 2, provider }: Kind = {}) => {
        const workplace = await makeWorkplace(root, `${name}, ${kind}`, provider);
        Object.assign(workplace.env, env);
        const run = async () => answer(command, isFirst ? await withEmptyCache(workplace) : workplace);
        programs.set(`${name}, ${kind}`, { run, mayFail: isForeign });
        ours.push({ name: `${name}, ${kind}`, ...(!isForeign && !isFirst && { limit, memoryLimit: 1.5 }) });
      };
      await add("first start of all", {}, { isFirst: true });
      await add("later starts", {}, { limit: 1.4 });
      await add("later starts, with a model", { ANTHROPIC_API_KEY: "not-a-key" });
      await add(
        "later starts, model of models.json",
        {},
        { limit: 1.55, provider: { url: "http://127.0.0.1:9", api: "anthropic-messages" } },
      );
    }
    const acp = "pi acp, initialize, later starts";
    const acpWorkplace = await makeWorkplace(root, acp);
    programs.set(acp, { run: () => initialize([process.execPath, cli, "acp"], acpWorkplace) });
    ours.push({ name: acp, limit: 2, memoryLimit: 1.5 });
    const all = await takeTurns(rounds, programs);
    const time = ({ milliseconds }: Start) => milliseconds;
    const memory = ({ bytes }: Start) => bytes / 1e6;
    const bareTime = summarize(bare, "ms", valuesOf(all, bare).map(time));
    const bareMemory = summarize(`${waiting}, resident`, "MB", valuesOf(all, waiting).map(memory));
    return [
      bareTime,
      ...ours.map(({ name, limit }) => summarizeSeries(all, name, { unit: "ms", pick: time, base: bareTime, limit })),
      bareMemory,
      ...ours.map(({ name, memoryLimit }) =>
        summarizeSeries(all, name, { title: `${name}, resident`, unit: "MB", pick: memory, base: bareMemory, limit: memoryLimit }),
      ),
    ];
  });
}

async function startAndExit([program = "", ...args]: readonly string[], workplace: Workplace): Promise<Start> {
  const start = performance.now();
  await once(spawn(program, args, { ...workplace, stdio: "ignore" }), "exit");
  return { milliseconds: performance.now() - start, bytes: 0 };
}

async function startAndWait(command: readonly string[], workplace: Workplace): Promise<Start> {
  await using program = new RpcProcess(command, workplace);
  const { at } = await program.waitFor("output", () => true);
  const bytes = residentBytes(program.pid);
  program.kill();
  return { milliseconds: at - program.startedAt, bytes };
}

async function answer(command: readonly string[], workplace: Workplace): Promise<Start> {
  await using agent = new RpcProcess(command, workplace);
  agent.send(getState);
  const { at } = await waitForState(agent);
  return { milliseconds: at - agent.startedAt, bytes: residentBytes(agent.pid) };
}

/** Spawn to the answer of `initialize`, of the Agent Client Protocol. */
async function initialize(command: readonly string[], workplace: Workplace): Promise<Start> {
  await using agent = new RpcProcess(command, workplace);
  agent.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } });
  const { at } = await agent.waitFor("initialize", (line) => line.includes('"agentCapabilities"'));
  return { milliseconds: at - agent.startedAt, bytes: residentBytes(agent.pid) };
}

/** The compile cache is in the folder of temporary files unless a variable says otherwise. */
async function withEmptyCache({ cwd, env }: Workplace): Promise<Workplace> {
  return { cwd, env: { ...env, TMPDIR: await mkdtemp(join(env.TMPDIR ?? "", "first-")) } };
}
