import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { anthropic } from "@pikit/test-kit";
import { expect, onTestFinished, test } from "vitest";
import { cleanEnvironment } from "../helpers/cli.ts";
import { serveModels } from "../helpers/endpoints.ts";
import { startProgram } from "../helpers/rpc-process.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import type { HeapSample } from "./heap-watch.ts";

/**
 * Bytes of JavaScript heap that 1,000 text deltas take on their way, whether they are freed at once or later, and by what fraction that may
 * change; on Node 24. They are the same from run to run to within 2 %, on a busy machine too. To renew one after a change that is worth
 * it, put in what the failed assertion says, rounded.
 */
const stored = {
  /** From the response, which is read in large pieces, to a subscriber of the session. */
  session: { bytes: 1_050_000, tolerance: 0.2 },
  /**
   * From the model to stdout, each delta in a turn and a record of its own. Two thirds of it are the scripted model's. Each answer is in a new
   * session, which looks for the files of prompts and skills: 400 kB.
   */
  rpc: { bytes: 6_780_000, tolerance: 0.1 },
};
/** Other versions of Node have another V8, and the values are not theirs. */
const toleranceElsewhere = 0.6;

/** The first answers load and compile. */
const uncounted = 2;
const counted = 5;

const from = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** An answer takes some megabytes of the young generation, and nothing may be collected before it is over. */
const watched = [
  "--conditions=pikit-source",
  "--expose-gc",
  "--min-semi-space-size=64",
  "--max-semi-space-size=64",
  "--import",
  from("heap-watch.ts"),
];

const workspace = useWorkspace();

/** Deltas an answer; many, so that what an answer costs once does not count. */
const deltas = { session: 5000, rpc: 500 };

test("a session with one subscriber takes as much heap for 1,000 deltas as before", async () => {
  const server = await serveModels(workspace);
  const { steps = [], ...answer } = anthropic.answer([{ text: words(deltas.session) }]);
  // In one write, so that it is read in pieces of one size.
  for (let n = 0; n < uncounted + counted; n += 1) server.respond({ ...answer, steps: [steps.join("")] });
  const child = spawn(process.execPath, [...watched, from("session-heap.ts"), server.url], {
    cwd: workspace.cwd,
    env: cleanEnvironment(workspace),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const bytes = await measure(child, async () => {
    child.stdin.write("\n");
    const [count] = await once(child.stdout, "data");
    expect(String(count)).toBe(`${deltas.session}\n`);
  });
  expectAsStored("session", bytes);
});

test("pi --mode rpc takes as much heap for 1,000 deltas of deltas mode as before", async () => {
  // Each delta comes in a turn of the event loop of its own, so that each becomes a record.
  const answer = { deltas: words(deltas.rpc), delayMs: 1 };
  const model = await workspace.script(...Array(uncounted + counted).fill(answer));
  const args = ["--mode", "rpc", "--no-session", "--stream", "deltas", "--model", model];
  const rpc = startProgram(workspace, [...watched, from("../../src/cli.ts"), ...args]);
  const bytes = await measure(rpc.child, async () => {
    await rpc.ask({ type: "new_session" });
    const records = await rpc.promptAndWait("Go");
    expect(records.filter(({ type }) => type === "message_update")).toHaveLength(deltas.rpc + 2);
  });
  expectAsStored("rpc", bytes);
});

function words(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `word${1000 + n} `);
}

/** Bytes that each counted answer took; `stream` streams one. */
async function measure(child: ChildProcessWithoutNullStreams, stream: () => Promise<void>): Promise<number[]> {
  for (let n = 0; n < uncounted; n += 1) await stream();
  const samples = [await takeSample(child)];
  for (let n = 0; n < counted; n += 1) {
    await stream();
    samples.push(await takeSample(child));
  }
  expect(samples.at(-1)?.collections).toBe(samples[0]?.collections);
  return samples.slice(1).map(({ used }, n) => used - (samples[n] as HeapSample).kept);
}

async function takeSample(child: ChildProcessWithoutNullStreams): Promise<HeapSample> {
  const line = once(child.stderr, "data");
  child.kill("SIGUSR2");
  return JSON.parse(String(await line));
}

function expectAsStored(name: keyof typeof stored, series: number[]): void {
  const middle = series.toSorted((a, b) => a - b)[Math.floor(series.length / 2)] ?? Number.NaN;
  const bytes = Math.round((middle / deltas[name]) * 1000);
  const expected = stored[name];
  const tolerance = process.versions.node.startsWith("24.") ? expected.tolerance : toleranceElsewhere;
  const message = `1,000 deltas take ${bytes} bytes of heap; stored.${name}.bytes is ${expected.bytes}`;
  expect(bytes, message).toBeGreaterThan(expected.bytes * (1 - tolerance));
  expect(bytes, message).toBeLessThan(expected.bytes * (1 + tolerance));
}
