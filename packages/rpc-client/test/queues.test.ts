import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RpcClient, type RpcEvent } from "../src/index.ts";
import { errorOf } from "./helpers/clients.ts";

/** A bash call that works until the test opens the gate. */
const gated = { toolCalls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.02; done" } }] };
const answers = (...texts: string[]) => texts.map((text) => ({ text }));
const busy = { error: { status: 529, message: "Overloaded" } };

/** A started agent in a folder of its own, with what it tells. */
async function startAgent(script: object[], settings: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), "rpc-client-queues-"));
  const agentDir = join(folder, "agent");
  mkdirSync(agentDir);
  writeFileSync(join(agentDir, "settings.json"), JSON.stringify(settings));
  const path = join(folder, "answers.jsonl");
  writeFileSync(path, script.map((answer) => `${JSON.stringify(answer)}\n`).join(""));
  const client = new RpcClient({ cwd: folder, env: { PI_CODING_AGENT_DIR: agentDir }, noSession: true, model: `script/${path}` });
  const events: RpcEvent[] = [];
  client.onEvent((event) => events.push(event));
  await client.start();
  return { client, events, openGate: () => writeFileSync(join(folder, "go"), "") };
}

/** Resolves with the next event of that type. */
function next(client: RpcClient, type: RpcEvent["type"]): Promise<RpcEvent> {
  return new Promise((resolve) => {
    const end = client.onEvent((event) => {
      if (event.type !== type) return;
      end();
      resolve(event);
    });
  });
}

const userTexts = (messages: readonly { role: string; content?: unknown }[]) =>
  messages.filter(({ role }) => role === "user").map(({ content }) => content);
const typesOf = (events: readonly RpcEvent[], prefix: string) =>
  events.map(({ type }) => type as string).filter((type) => type.startsWith(prefix));

test("steer, followUp and prompts with streamingBehavior join the run; each promptAndWait gets the whole of it", async () => {
  const { client, events, openGate } = await startAgent([gated, ...answers("A", "B", "C", "D")]);
  await using _client = client;
  const started = next(client, "tool_execution_start");
  const first = client.promptAndWait("Go");
  await started;
  await client.followUp("later");
  await client.steer("left");
  const joined = client.promptAndWait("right", { streamingBehavior: "steer" });
  await client.prompt("last", { streamingBehavior: "followUp" });
  expect(await client.getState()).toMatchObject({ isStreaming: true, queuedMessageCount: 4 });
  expect(events.findLast(({ type }) => type === "queue_update")).toEqual({
    type: "queue_update",
    steering: ["left", "right"],
    followUp: ["later", "last"],
  });
  openGate();
  const messages = await first;
  expect(userTexts(messages)).toEqual(["Go", "left", "right", "later", "last"]);
  expect(await joined).toEqual(messages);
  expect(typesOf(events, "agent_")).toEqual(["agent_start", "agent_end", "agent_settled"]);
  expect(await client.getState()).toMatchObject({ isStreaming: false, queuedMessageCount: 0 });
});

test("while idle messages wait for the next prompt and go in front of it; clearQueue tells what it removed", async () => {
  const { client, events } = await startAgent(answers("A", "B"));
  await using _client = client;
  await client.steer("s1");
  await client.followUp("f1");
  expect(typesOf(events, "agent_")).toEqual([]);
  expect(await client.clearQueue()).toEqual({ steering: ["s1"], followUp: ["f1"] });
  await client.steer("s2", { images: [{ type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }] });
  expect(userTexts(await client.promptAndWait("Go", { streamingBehavior: "steer" }))).toEqual([
    [expect.objectContaining({ text: "s2" }), expect.objectContaining({ type: "image" })],
    "Go",
  ]);
});

test("the modes are set and told", async () => {
  const { client } = await startAgent(answers("A", "B"));
  await using _client = client;
  await client.setSteeringMode("all");
  await client.setFollowUpMode("all");
  await client.setInterruptMode("immediate");
  await client.setAutoRetry(false);
  expect(await client.getState()).toMatchObject({
    queueMode: "all",
    steeringMode: "all",
    followUpMode: "all",
    interruptMode: "immediate",
    autoRetryEnabled: false,
  });
  for (const text of ["s1", "s2"]) await client.steer(text);
  const messages = await client.promptAndWait("Go");
  expect(messages.map(({ role }) => role)).toEqual(["user", "user", "user", "assistant"]);
  expect(await errorOf(client.send("set_steering_mode", { mode: "some" as "all" }))).toMatchObject({ code: "command_failed" });
});

test("abortAndPrompt ends the run that is going, and the next one is another", async () => {
  const { client, events } = await startAgent([gated, ...answers("A")]);
  await using _client = client;
  const started = next(client, "tool_execution_start");
  const first = client.promptAndWait("Go");
  await started;
  const settledTwice = Promise.withResolvers<void>();
  client.onEvent(() => {
    if (typesOf(events, "agent_settled").length === 2) settledTwice.resolve();
  });
  await client.abortAndPrompt("Instead");
  expect(userTexts(await first)).toEqual(["Go"]);
  await settledTwice.promise;
  expect(await client.getLastAssistantText()).toBe("A");
  expect(typesOf(events, "agent_")).toEqual([
    ...["agent_start", "agent_end", "agent_settled", "agent_start", "agent_end", "agent_settled"],
  ]);
});

test("promptAndWait waits for retries, and its messages hold the failed answers", async () => {
  const { client, events } = await startAgent([busy, busy, ...answers("A")], { retry: { baseDelayMs: 1 } });
  await using _client = client;
  const messages = await client.promptAndWait("Go");
  expect(messages.map((message) => ("stopReason" in message ? message.stopReason : message.role))).toEqual([
    ...["user", "error", "error", "stop"],
  ]);
  expect(typesOf(events, "auto_retry")).toEqual(["auto_retry_start", "auto_retry_start", "auto_retry_end"]);
});

test.each(["abortRetry", "abort"] as const)("%s ends the wait before a retry, and promptAndWait resolves", async (how) => {
  const { client, events } = await startAgent([busy, ...answers("A")], { retry: { baseDelayMs: 60_000 } });
  await using _client = client;
  const waiting = next(client, "auto_retry_start");
  const messages = client.promptAndWait("Go");
  await waiting;
  await client[how]();
  expect((await messages).at(-1)).toMatchObject({ role: "assistant", stopReason: how === "abort" ? "aborted" : "error" });
  expect(typesOf(events, "auto_retry")).toEqual(["auto_retry_start", "auto_retry_end"]);
});

test("an agent that is stopped while a message waits settles every promise", async () => {
  const { client } = await startAgent([gated, ...answers("A")]);
  const started = next(client, "tool_execution_start");
  const first = client.promptAndWait("Go");
  await started;
  const joined = client.promptAndWait("more", { streamingBehavior: "followUp" });
  await client.getState();
  await client.stop();
  const results = await Promise.allSettled([first, joined]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  expect(await errorOf(client.steer("late"))).toMatchObject({ code: "stopped" });
});
