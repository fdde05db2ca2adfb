import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@pikit/test-kit";
import { beforeAll, expect, test } from "vitest";
import { findCli } from "../src/find-cli.ts";
import { RpcClient, type RpcClientOptions, type RpcEvent } from "../src/index.ts";
import { errorOf, fixture, isAtWork } from "./helpers/clients.ts";

// Without cliPath, the client finds the built program of this workspace as it finds an installed one.
const folder = mkdtempSync(join(tmpdir(), "rpc-client-real-"));
const env = { PI_CODING_AGENT_DIR: join(folder, "agent") };

beforeAll(() => {
  findCli({ runtime: process.execPath, env: { PATH: "" } });
  writeFileSync(join(folder, "README.md"), "# Sample\n\nSomething to look at.\n");
});

function realClient(options: RpcClientOptions): RpcClient {
  return new RpcClient({ cwd: folder, env, noSession: true, ...options });
}

/** A model that gives these answers. */
function script(...answers: object[]): string {
  const path = join(mkdtempSync(join(folder, "script-")), "answers.jsonl");
  writeFileSync(path, answers.map((answer) => `${JSON.stringify(answer)}\n`).join(""));
  return `script/${path}`;
}

const roles = (messages: readonly { role: string }[]) => messages.map(({ role }) => role);

test("the demo model works through promptAndWait, and its state, messages and text can be asked for", async () => {
  await using client = realClient({ model: "demo/tour" });
  await client.start();
  const messages = await client.promptAndWait("Show me around");
  expect(roles(messages)).toEqual(["user", "assistant", "toolResult", "assistant", "toolResult", "assistant"]);
  expect(await client.getMessages()).toEqual(messages);
  expect(await client.getLastAssistantText()).toContain('README.md is titled "Sample"');
  expect(await client.getState()).toMatchObject({ isStreaming: false, messageCount: 6, streamMode: "deltas" });
  expect(await client.newSession()).toEqual({ cancelled: false });
  expect(await client.getMessages()).toEqual([]);
});

test("events() tells a whole run; message and partial hold the text so far", async () => {
  await using client = realClient({ model: script({ text: "one two three", delayMs: 5 }) });
  await client.start();
  const events = client.events();
  await client.prompt("Count");
  const types: string[] = [];
  let text = "";
  for await (const event of events) {
    const type = event.type === "message_update" ? event.assistantMessageEvent.type : event.type;
    if (type !== types.at(-1)) types.push(type);
    if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") {
      text += event.assistantMessageEvent.delta;
      expect(event.assistantMessageEvent.partial.content).toEqual([{ type: "text", text }]);
      expect(event.message.content).toEqual([{ type: "text", text }]);
    }
    if (event.type === "agent_settled") break;
  }
  expect(text).toBe("one two three");
  expect(types).toEqual([
    ...["agent_start", "turn_start", "message_start", "message_end"],
    ...["message_start", "start", "text_start", "text_delta", "text_end", "done", "message_end"],
    ...["turn_end", "agent_end", "agent_settled"],
  ]);
});

test("the events of deltas mode are those of snapshots mode, when joined deltas are taken as one", async () => {
  const model = script(
    { thinking: "Let me look.", text: "I list.", toolCalls: [{ name: "bash", arguments: { command: "echo 'ä'" } }] },
    { text: "" },
    { error: { status: 400, message: "no more" } },
  );
  const recordings: RpcEvent[][] = [];
  for (const streamMode of ["deltas", "snapshots"] as const) {
    await using client = realClient({ model, streamMode });
    const events: RpcEvent[] = [];
    client.onEvent((event) => events.push(event));
    await client.start();
    expect((await client.getState()).streamMode).toBe(streamMode);
    await client.promptAndWait("Go");
    await client.promptAndWait("Go on");
    recordings.push(comparable(events));
  }
  expect(recordings[0]?.length).toBeGreaterThan(30);
  expect(recordings[0]).toEqual(recordings[1]);
});

/** Without what differs from run to run: times, ids, and how many deltas left as one. */
function comparable(events: readonly RpcEvent[]): RpcEvent[] {
  const kept: RpcEvent[] = [];
  for (const event of events) {
    const last = kept.at(-1);
    if (last?.type === "message_update" && event.type === "message_update") {
      const [before, after] = [last.assistantMessageEvent, event.assistantMessageEvent];
      if ("delta" in before && "delta" in after && before.type === after.type && before.contentIndex === after.contentIndex) {
        kept[kept.length - 1] = { ...event, assistantMessageEvent: { ...after, delta: before.delta + after.delta } };
        continue;
      }
    }
    if (event.type !== "tool_execution_update") kept.push(event);
  }
  return JSON.parse(JSON.stringify(kept, (key, value) => (key === "timestamp" || /^call_\w+$/.test(value) ? "(varies)" : value)));
}

test("abort stops an answer in the middle; the run ends normally and keeps what had arrived", async () => {
  await using client = realClient({ model: script({ text: "word ".repeat(1000), delayMs: 20 }, { text: "after" }) });
  await client.start();
  const unsubscribe = client.onEvent((event) => {
    if (event.type !== "message_update" || event.assistantMessageEvent.type !== "text_delta") return;
    unsubscribe();
    void client.abort();
  });
  const messages = await client.promptAndWait("Talk");
  expect(messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "aborted", content: [{ type: "text" }] });
  expect((await client.promptAndWait("Again")).at(-1)).toMatchObject({ stopReason: "stop" });
});

test("RC-008 a refused prompt rejects, and a failing provider is told by the last message", async () => {
  await using client = realClient({
    model: script({ text: "slow", delayMs: 60_000 }, { error: { status: 400, message: "bad request" } }),
  });
  await client.start();
  const events = client.events();
  const first = client.promptAndWait("One");
  expect(await errorOf(client.prompt("Two"))).toMatchObject({ code: "command_failed", command: "prompt" });
  // A run that is aborted before it asks the model leaves the slow answer to the next prompt.
  for await (const event of events) if (event.type === "message_update") break;
  await client.abort();
  await first;
  expect((await client.promptAndWait("Three")).at(-1)).toMatchObject({ role: "assistant", stopReason: "error" });
  expect(await errorOf(client.setModel("nobody", "none"))).toMatchObject({
    reason: expect.stringMatching(/^Model not found: nobody\/none/),
  });
});

test("models can be listed and changed, and bash runs beside a prompt", async () => {
  await using client = realClient({ model: "demo/tour" });
  await client.start();
  const [model] = await client.getAvailableModels();
  expect(await client.setModel(model?.provider ?? "", model?.id ?? "")).toEqual(model);
  const endless = client.bash("echo begun; sleep 60");
  await client.getState();
  await client.abortBash();
  expect(await endless).toMatchObject({ cancelled: true });
  expect(await client.bash("echo $((6 * 7))")).toMatchObject({ output: "42\n", exitCode: 0, cancelled: false });
  expect(roles(await client.getMessages())).toEqual(["bashExecution", "bashExecution"]);
});

test("RC-001 a wrong option rejects start with the agent's exit code and its sentence", async () => {
  const error = await errorOf(realClient({ args: ["--make-coffee"] }).start());
  expect(error).toMatchObject({ code: "exited", exitCode: 2, stderrTail: expect.stringContaining("--make-coffee") });
});

test("RC-005 stop during a run lets the agent abort it and tell the end, then it exits by itself", async () => {
  const client = realClient({ model: script({ text: "word ".repeat(1000), delayMs: 20 }), stopGraceMs: 60_000 });
  await client.start();
  const events = client.events();
  const running = client.promptAndWait("Talk");
  for await (const event of events) if (event.type === "message_update") break;
  await client.stop();
  expect((await running).at(-1)).toMatchObject({ role: "assistant", stopReason: "aborted" });
  expect(await errorOf(client.getState())).toMatchObject({ code: "stopped", exitCode: 0, signal: null });
});

test("RC-006 when the program that uses the client is killed, the agent ends and takes its shell command along", async () => {
  const args = ["--conditions=pikit-source", "--no-warnings", fixture("real-parent"), folder];
  const parent = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } });
  const [chunk] = await once(parent.stdout, "data");
  const pids = JSON.parse(String(chunk)) as number[];
  expect(pids.map(isAtWork)).toEqual([true, true]);
  parent.kill("SIGKILL");
  await until("agent and command are gone", () => !pids.some(isAtWork));
});
