import { readFile } from "node:fs/promises";
import type { AssistantMessage } from "@pikit/ai";
import { until } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { type RpcProcess, startRpc, type WireRecord } from "../../helpers/rpc-process.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

/** `PIKIT_LONG=1` plays the whole size. */
const deltaCount = process.env.PIKIT_LONG === "1" ? 100_000 : 10_000;
/** Every word is another one, so that a lost or moved one is seen. */
const text = Array.from({ length: deltaCount }, (_, n) => `w${n} `).join("");
/** Bytes that the process may need beyond what it has when idle. */
const maxGrowth = 200 * 1024 * 1024;

/** Resident memory of a process in bytes: now, and the most so far. */
async function memoryOf(pid: number): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const read = (name: string) => 1024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
  return { now: read("VmRSS"), peak: read("VmHWM") };
}

async function waitUntilStored(): Promise<void> {
  const isStored = async () =>
    (await workspace.sessionLines().catch(() => [])).some(({ message }) => message?.role === "assistant");
  await until("the answer is stored", isStored);
}

/** A process whose answer streams, and whose reader stops in the middle of it until the run has ended. */
async function runWithStop(...args: string[]): Promise<{ rpc: RpcProcess; records: WireRecord[]; growth: number }> {
  const rpc = startRpc(workspace, ["--model", await workspace.script({ text, deltas: deltaCount }), ...args]);
  await rpc.state();
  const before = await memoryOf(Number(rpc.child.pid));
  const from = rpc.records.length;
  await rpc.request({ type: "prompt", message: "Talk" });
  await rpc.waitFor({ type: "message_update" }, from);
  rpc.child.stdout.pause();
  // Nobody reads, and the run ends all the same.
  await waitUntilStored();
  const { peak } = await memoryOf(Number(rpc.child.pid));
  rpc.child.stdout.resume();
  await rpc.waitFor({ type: "agent_settled" }, from);
  return { rpc, records: rpc.records.slice(from), growth: peak - before.now };
}

const stepOf = (record: WireRecord) => record.assistantMessageEvent as { type: string; delta?: string; content?: string };
const textOf = (message: unknown) =>
  (message as AssistantMessage).content.map((block) => (block.type === "text" ? block.text : "")).join("");
const frameTypes = (records: readonly WireRecord[]) => records.map(({ type }) => type).filter((type) => type !== "message_update");
const frames = [
  ...["response", "agent_start", "turn_start", "message_start", "message_end", "message_start", "message_end"],
  ...["turn_end", "agent_end", "agent_settled"],
];

// What a process needs is read from /proc.
const isLinux = process.platform === "linux";

describe.runIf(isLinux)("RP-010 a reader that stops in the middle of a long answer", () => {
  test("deltas: nothing is lost or moved, the run does not wait, and memory stays small", async () => {
    const { rpc, records, growth } = await runWithStop("--stream", "deltas");
    const deltas = records.flatMap((record) => (record.type === "message_update" ? [stepOf(record)] : []));
    expect(deltas.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])).toEqual([
      ...["text_start", "text_delta", "text_end"],
    ]);
    expect(deltas.map(({ delta = "" }) => delta).join("")).toBe(text);
    expect(deltas.at(-1)?.content).toBe(text);
    expect(frameTypes(records)).toEqual(frames);
    expect(growth).toBeLessThan(maxGrowth);
    expect(await rpc.end()).toBe(0);
  });

  test("RP-014 snapshots: each equals the deltas up to it, and there are few of them", async () => {
    const { rpc, records, growth } = await runWithStop();
    let sofar = "";
    for (const record of records) {
      if (record.type !== "message_update") continue;
      const step = stepOf(record);
      if (step.type === "text_delta") sofar += step.delta;
      if (textOf(record.message) !== sofar) throw new Error(`a snapshot of ${textOf(record.message).length} after ${sofar.length}`);
    }
    expect(sofar).toBe(text);
    expect(frameTypes(records)).toEqual(frames);
    expect(rpc.lines.reduce((sum, line) => sum + line.length, 0)).toBeLessThan(100_000_000);
    expect(growth).toBeLessThan(maxGrowth);
    expect(await rpc.end()).toBe(0);
  });

  test("commands are answered in their order when it reads again", async () => {
    const rpc = startRpc(workspace, ["--stream", "deltas", "--model", await workspace.script({ text, deltas: deltaCount })]);
    await rpc.state();
    rpc.child.stdout.pause();
    rpc.send({ id: "p", type: "prompt", message: "Talk" });
    const ids = Array.from({ length: 200 }, (_, n) => n);
    rpc.send(...ids.map((id) => ({ id, type: "get_state" })));
    await waitUntilStored();
    rpc.child.stdout.resume();
    await rpc.waitFor({ type: "agent_settled" });
    const responses = rpc.records.flatMap(({ type, id }) => (type === "response" ? [id] : []));
    expect(responses.slice(1)).toEqual(["p", ...ids]);
  });
});

test.runIf(isLinux)("output of commands that nobody reads is bounded while it waits, also with several at a time", async () => {
  const rpc = startRpc(workspace, ["--stream", "deltas", "--model", "demo/tour", "--no-session"]);
  await rpc.state();
  const before = await memoryOf(Number(rpc.child.pid));
  rpc.child.stdout.pause();
  const command = (name: string) => `yes "${name} 0123456789" | head -c 60000000; echo done > ${name}`;
  for (const name of ["a", "b"]) rpc.send({ id: name, type: "bash", command: command(name) });
  const isDone = async () =>
    (await Promise.all(["a", "b"].map((name) => readFile(`${workspace.cwd}/${name}`, "utf8").catch(() => "")))).every(Boolean);
  await until("the commands have written all", isDone);
  const { peak } = await memoryOf(Number(rpc.child.pid));
  rpc.child.stdout.resume();
  for (const id of ["a", "b"]) {
    expect(await rpc.waitFor({ type: "response", id })).toMatchObject({ data: { truncated: true, exitCode: 0 } });
  }
  expect(peak - before.now).toBeLessThan(maxGrowth);
});
