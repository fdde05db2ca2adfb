import { appendFile, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { Conversation } from "../../src/conversation/conversation.ts";
import type { SessionEntry } from "../../src/conversation/entries.ts";
import { FileSessionStore } from "../../src/conversation/file-store.ts";
import { runCli } from "../helpers/cli.ts";
import { startRpc, type WireRecord } from "../helpers/rpc-process.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { findProcesses } from "../soak/leftovers.ts";
import { createStory, type Story } from "./story.ts";

const isLong = process.env.PIKIT_LONG === "1";
const count = isLong ? 400 : 16;
const firstSeed = Number(process.env.PIKIT_SEED ?? 1);

const workspace = useWorkspace();

/** What the agent had told when it was killed. */
interface Told {
  path: string;
  pid: number;
  records: WireRecord[];
}

async function runAndKill(story: Story): Promise<Told> {
  const rpc = startRpc(workspace, ["--model", await workspace.script(...story.answers), "--stream", "deltas"]);
  const { data } = await rpc.request({ type: "get_state" });
  rpc.send(...story.commands);
  // A short story is over before that.
  await rpc.waitFor(({ type }) => rpc.records.length > story.killAfterRecords || type === "agent_settled");
  if (story.killDelayMs > 0) await sleep(story.killDelayMs);
  rpc.child.kill("SIGKILL");
  await rpc.exited;
  return { path: String(data?.sessionFile), pid: rpc.child.pid as number, records: rpc.records };
}

/** Everything that was told is in the file, in the order in which it was told. */
async function expectAllStored({ path, records }: Told, story: Story): Promise<void> {
  const accepted = story.commands.filter(({ id }) => records.some((record) => record.id === id && record.success === true));
  const said = records.filter(({ type }) => type === "message_end").map(({ message }) => message);
  if (accepted.length === 0 && said.length === 0) return;
  const { entries, diagnostics, queued, name } = await load(path);
  expect(diagnostics).toEqual([]);
  const stored = entries.flatMap((entry) => (entry.type === "message" ? [JSON.stringify(entry.message)] : []));
  let from = 0;
  for (const message of said) {
    const at = stored.indexOf(JSON.stringify(message), from);
    expect(at, `told and not stored: ${JSON.stringify(message).slice(0, 200)}`).toBeGreaterThanOrEqual(0);
    from = at + 1;
  }
  const kept = JSON.stringify([stored, queued]);
  for (const command of accepted) {
    if (typeof command.message === "string") expect(kept).toContain(command.message);
    if (command.type === "set_session_name") expect(name).toBe(command.name);
    if (command.type === "bash") expect(kept).toContain('\\"role\\":\\"bashExecution\\"');
  }
}

interface Loaded {
  entries: SessionEntry[];
  diagnostics: readonly string[];
  /** Texts that wait in the queues. */
  queued: unknown[];
  name: string | null;
}

async function load(path: string): Promise<Loaded> {
  const conversation = await Conversation.read(new FileSessionStore(workspace.agentDir), path);
  try {
    const { diagnostics, queued, name, nodes } = conversation;
    return { entries: await conversation.read(nodes), diagnostics, queued: queued.map(({ message }) => message), name };
  } finally {
    await conversation.close();
  }
}

/** Waits until nothing that it started is left. */
async function expectNoProcess(pid: number): Promise<void> {
  await until("all processes of the killed one are gone", () => findProcesses(pid, workspace.cwd).length === 0);
}

/** Another process goes on, also after a line that was cut off in the middle, and everything intact stays. */
async function expectGoesOn(path: string, story: Story): Promise<void> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  const before = isThere ? (await load(path)).entries.map(({ id }) => id) : [];
  if (isThere && story.tornShare > 0) {
    const line = '{"type":"message","id":"deadbeef","parentId":null,"message":{"role":"user","content":"€"}}';
    await appendFile(path, Buffer.from(line).subarray(0, Math.ceil(story.tornShare * (line.length - 1))));
  }
  const model = await workspace.script(...Array.from({ length: 12 }, () => ({ text: "Back." })));
  const { stdout, stderr, exitCode } = await runCli(workspace, ["-p", "--continue", "--model", model, "Are you there?"]);
  expect({ stdout, exitCode }, stderr).toEqual({ stdout: "Back.\n", exitCode: 0 });
  const [first] = await workspace.sessionFiles();
  const after = await load(isThere ? path : String(first));
  expect(after.entries.map(({ id }) => id).slice(0, before.length)).toEqual(before);
  expect(after.queued).toEqual([]);
}

// Whether a child is left is read from /proc.
test.skipIf(process.platform !== "linux").each(Array.from({ length: count }, (_, index) => firstSeed + index))(
  "killed at a random instant (seed %i): what was told is in the file, no child is left, and the next process goes on",
  async (seed) => {
    const story = createStory(seed);
    const told = await runAndKill(story);
    await expectAllStored(told, story);
    await expectNoProcess(told.pid);
    await expectGoesOn(told.path, story);
  },
);
