import { expect, test } from "vitest";
import { RpcClient, type RpcEvent } from "../../src/index.ts";
import { errorOf } from "../helpers/clients.ts";
import { serve } from "../helpers/served.ts";

test("after a kill of the server the client goes on with the stored session: its tools are registered again, and it is told what is lost", async () => {
  const served = await serve();
  const answers = [
    { text: "One." },
    { toolCalls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.02; done" } }] },
  ];
  // The server counts the answers of its script anew.
  const rest = [{ toolCalls: [{ name: "stock", arguments: {} }] }, { text: "Two." }];
  const create = { model: served.script(answers) };
  await using client = await RpcClient.connect(served.url, { token: served.token, create, reconnectDelayMs: 1 });
  const resyncs: string[] = [];
  client.onEvent("resync", ({ reason }) => resyncs.push(reason));
  const restarted = Promise.withResolvers<void>();
  client.onRestart(() => restarted.resolve());
  await client.setTools([{ name: "stock", description: "", parameters: { type: "object" }, execute: () => "12 pieces" }]);
  await client.promptAndWait("first");
  const running = Promise.withResolvers<void>();
  client.onEvent("tool_execution_start", () => running.resolve());
  const lost = errorOf(client.promptAndWait("second"));
  await running.promise;
  await served.restart();
  expect(await lost).toMatchObject({ name: "RpcConnectionError", code: "events_missed" });
  await restarted.promise;
  expect(resyncs).toEqual(["start", "epoch"]);
  const [provider = "", ...model] = served.script(rest).split("/");
  await client.setModel(provider, model.join("/"));
  const messages = await client.promptAndWait("third");
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
  expect(JSON.stringify(messages)).toContain("12 pieces");
  const { sessionId } = await client.getState();
  const stored = served.messages(sessionId).filter(({ role }) => role === "user");
  expect(stored.map(({ content }) => JSON.stringify(content))).toEqual([
    expect.stringContaining("first"),
    expect.stringContaining("second"),
    expect.stringContaining("third"),
  ]);
});

test("a client that comes to a running session is told of the answer so far and of the open question, and both clients are told the end", async () => {
  const served = await serve();
  const create = {
    model: served.script([
      { text: "I look.", toolCalls: [{ name: "bash", arguments: { command: "rm -rf nothing" } }] },
      { text: "Done." },
    ]),
    approval: "on-risk",
  } as const;
  const { token } = served;
  await using first = await RpcClient.connect(served.url, { token, create });
  const asked = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  first.onConfirm((_, { signal }) => {
    asked.resolve();
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        told.resolve();
        resolve(undefined);
      });
    });
  });
  const run = first.promptAndWait("Look");
  await asked.promise;
  const { sessionId } = await first.getState();
  await using second = await RpcClient.connect(served.url, { token, sessionId });
  const events = second.events();
  const next = async (): Promise<RpcEvent> => (await events.next()).value as RpcEvent;
  expect(await next()).toMatchObject({ type: "resync", reason: "start", state: { isStreaming: true, sessionId } });
  second.onConfirm(() => true);
  await told.promise;
  expect((await run).at(-1)).toMatchObject({ role: "assistant", content: [{ type: "text", text: "Done." }] });
  for (let event = await next(); event.type !== "agent_settled"; ) event = await next();
});

test("stop leaves the run alone, and a client that comes later finds it", async () => {
  const served = await serve();
  const create = {
    model: served.script([
      { toolCalls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.02; done" } }] },
      { text: "Done." },
    ]),
  };
  const first = await RpcClient.connect(served.url, { token: served.token, create });
  await first.prompt("Wait");
  const { sessionId } = await first.getState();
  await first.stop();
  await using second = await RpcClient.connect(served.url, { token: served.token, sessionId });
  const settled = new Promise<void>((resolve) => second.onEvent("agent_settled", () => resolve()));
  expect((await second.getState()).isStreaming).toBe(true);
  await second.bash("touch go", { excludeFromContext: true });
  await settled;
  expect(await second.getLastAssistantText()).toBe("Done.");
});
