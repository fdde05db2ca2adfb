import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Agent, type AgentOptions, agents } from "./lib/agents.ts";
import { cpuMicroseconds, residentBytes } from "./lib/process-usage.ts";
import { askForDeltas, getState, prompt, waitForRunEnd, waitForState } from "./lib/records.ts";
import { RpcProcess } from "./lib/rpc-process.ts";
import { type Measurement, type Result, summarize } from "./lib/statistics.ts";
import { type Program, summarizeSeries, takeTurns, valuesOf } from "./lib/turns.ts";
import { inTemporaryFolder, makeWorkplace, type Workplace } from "./lib/workplace.ts";
import type { ArrivedRequest } from "./programs/long-provider.ts";

const run = promisify(execFile);
const programs = join(import.meta.dirname, "programs");

/** Where a turn is measured: the mean of the turns around it. Budgets in milliseconds of CPU time, beside the write of the request. */
const points = [
  { turn: 20, around: 10, atMost: 17 },
  { turn: 500, around: 20, atMost: 18 },
  { turn: 2000, around: 40, atMost: 25 },
];
/** Resident memory at the last point, in megabytes. */
const residentLimit = 180;
const apis = ["anthropic-messages", "openai-completions", "openai-responses", "google-generative-ai"];
const patienceMs = 600_000;

interface Sample {
  /** CPU time of a turn around each point, in milliseconds. */
  cpu: number[];
  /** Length of a request at each point, in bytes. */
  bytes: number[];
  /** Resident memory at each point, in bytes. */
  resident: number[];
}

/**
 * One session that calls a tool in each turn: CPU time of a turn at 20, 500 and 2,000 turns, beside that of a socket which writes the same
 * bytes, and resident memory there. A round takes half a minute, so there is one for ten of `rounds`; `--full` measures every wire.
 */
export async function longRun(
  rounds: number,
  { isFull = false, ...options }: AgentOptions & { isFull?: boolean } = {},
): Promise<Result[]> {
  const results: Result[] = [];
  for (const api of isFull ? apis : apis.slice(0, 1)) {
    results.push(...(await inTemporaryFolder((root) => measureApi(root, api, Math.ceil(rounds / 10), options))));
  }
  return results;
}

async function measureApi(root: string, api: string, rounds: number, options: AgentOptions): Promise<Result[]> {
  const series = new Map<string, Program<Sample>>();
  const all = agents(options, "--stream", "deltas");
  for (const { name, command, isForeign } of all) {
    series.set(name, { run: () => inWorkplace(root, { name, command, isForeign }, api), mayFail: isForeign });
  }
  const samples = await takeTurns(rounds, series, 0);
  const [own] = valuesOf(samples, "pi");
  const writes: Measurement[] = [];
  for (const [index, { turn }] of points.entries()) {
    const times = await timesOfWrites(own?.bytes[index] ?? 0);
    writes.push(summarize(`the request at turn ${turn} written, ${api}`, "ms", times));
  }
  return points.flatMap(({ turn, atMost }, index) => {
    const written = writes[index] as Measurement;
    return [
      written,
      ...all.flatMap(({ name, isForeign }) => [
        summarizeSeries(samples, name, {
          title: `${name}, a turn at ${turn} beside it, CPU, ${api}`,
          unit: "ms",
          pick: ({ cpu }) => (cpu[index] ?? 0) - written.median,
          limit: isForeign ? undefined : { atMost },
        }),
        summarizeSeries(samples, name, {
          title: `${name}, resident at turn ${turn}, ${api}`,
          unit: "MB",
          pick: ({ resident }) => (resident[index] ?? 0) / 1e6,
          limit: isForeign ? undefined : { atMost: residentLimit },
        }),
      ]),
    ];
  });
}

async function inWorkplace(root: string, agent: Agent, api: string): Promise<Sample> {
  const lastTurn = Math.max(...points.map(({ turn, around }) => turn + around)) + 1;
  const file = join(root, "read.txt");
  await writeFile(file, fileText(60));
  await using provider = await startLongProvider(file, lastTurn);
  const workplace = await makeWorkplace(root, `${agent.name} ${performance.now()}`, { url: provider.url, api });
  return await measureRun(agent, workplace, provider);
}

/** Lines of source code, as tools read them: some 120 characters each. */
function fileText(lines: number): string {
  const line = (n: number) =>
    `  const value${n} = await readPart("section-${n}", { "limit": ${n}, path: \`/data/\${name}\` }); // — part ${n}\n`;
  return Array.from({ length: lines }, (_, n) => line(n)).join("");
}

async function measureRun({ command, isForeign }: Agent, workplace: Workplace, provider: LongProvider): Promise<Sample> {
  await using agent = new RpcProcess(command, workplace);
  agent.send(getState);
  await waitForState(agent);
  if (isForeign) await askForDeltas(agent);
  const starts: number[] = [];
  const sample: Sample = { cpu: [], bytes: [], resident: [] };
  provider.onRequest(({ turn, bodyBytes }) => {
    for (const [index, point] of points.entries()) {
      if (turn === point.turn - point.around) starts[index] = cpuMicroseconds(agent.pid);
      if (turn === point.turn) {
        sample.bytes[index] = bodyBytes;
        sample.resident[index] = residentBytes(agent.pid);
      }
      if (turn === point.turn + point.around) {
        sample.cpu[index] = (cpuMicroseconds(agent.pid) - (starts[index] ?? 0)) / 2 / point.around / 1000;
      }
    }
  });
  agent.send(prompt("Read the file, part by part."));
  await waitForRunEnd(agent, patienceMs);
  return sample;
}

interface LongProvider extends AsyncDisposable {
  readonly url: string;
  /** Calls `listener` for each request before it is answered. */
  onRequest(listener: (request: ArrivedRequest) => void): void;
}

async function startLongProvider(file: string, lastTurn: number): Promise<LongProvider> {
  const child = fork(join(programs, "long-provider.ts"), [file, String(lastTurn)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const [url] = (await once(child, "message")) as [string];
  let listener = (_request: ArrivedRequest) => {};
  child.on("message", (request: ArrivedRequest) => {
    listener(request);
    child.send("go");
  });
  return {
    url,
    onRequest(called) {
      listener = called;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
}

async function timesOfWrites(bytes: number): Promise<number[]> {
  await using provider = await startLongProvider("", 1);
  const times: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const { stdout } = await run(process.execPath, [join(programs, "write-bytes.ts"), provider.url, String(bytes), "100"]);
    times.push(Number(stdout));
  }
  return times;
}
