import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FirstOutput, measureExit, measureFirstOutput } from "./lib/node-process.ts";
import { type Result, summarize } from "./lib/statistics.ts";

const cli = join(import.meta.dirname, "../packages/coding-agent/dist/cli.js");
const rpc = [cli, "--mode", "rpc", "--no-session"];
const getState = { input: `${JSON.stringify({ type: "get_state" })}\n`, expected: '"success":true' };
// fs.writeSync, because process.stdout would load streams into a Node that is to be bare.
const idle = ["-e", 'fs.writeSync(1, "."); setTimeout(() => {}, 1e6)'];

/**
 * Spawn to the first `get_state` answer, and resident memory then, against a Node that does nothing. The programs take turns, so
 * that a busy moment of the machine hits all of them.
 */
export async function firstAnswer(rounds: number): Promise<Result[]> {
  const cwd = await mkdtemp(join(tmpdir(), "pikit-bench-"));
  const env = { PATH: process.env.PATH, HOME: cwd, TMPDIR: tmpdir(), PI_CODING_AGENT_DIR: join(cwd, "agent") };
  const bareTimes: number[] = [];
  const bare: FirstOutput[] = [];
  const withoutModel: FirstOutput[] = [];
  const withModel: FirstOutput[] = [];
  try {
    // The first rounds fill the compile cache and the page cache.
    for (let round = -3; round < rounds; round += 1) {
      if (round === 0) for (const series of [bareTimes, bare, withoutModel, withModel]) series.length = 0;
      bareTimes.push(await measureExit(["-e", "0"], { cwd, env }));
      bare.push(await measureFirstOutput(idle, { cwd, env, expected: "." }));
      withoutModel.push(await measureFirstOutput(rpc, { cwd, env, ...getState }));
      withModel.push(await measureFirstOutput(rpc, { cwd, env: { ...env, ANTHROPIC_API_KEY: "not-a-key" }, ...getState }));
    }
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
  const times = (series: readonly FirstOutput[]) => series.map(({ milliseconds }) => milliseconds);
  const memory = (series: readonly FirstOutput[]) => series.map(({ bytes }) => bytes / 1e6);
  const bareTime = summarize("bare node -e 0, spawn to exit", "ms", bareTimes);
  const bareMemory = summarize("bare node, resident memory", "MB", memory(bare));
  return [
    bareTime,
    summarize("spawn to first get_state answer", "ms", times(withoutModel), bareTime, 2),
    summarize("the same with a model selected", "ms", times(withModel), bareTime, 2),
    bareMemory,
    summarize("resident memory at the answer", "MB", memory(withoutModel), bareMemory, 1.5),
    summarize("the same with a model selected", "MB", memory(withModel), bareMemory, 1.5),
  ];
}
