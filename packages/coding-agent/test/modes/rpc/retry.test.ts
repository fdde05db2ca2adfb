import { anthropic, keepOpen, type ProviderServer } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { serveModels } from "../../helpers/endpoints.ts";
import { serveHere } from "../../helpers/rpc-here.ts";
import { type RpcConnection, startRpc } from "../../helpers/rpc-process.ts";
import { abortedTurn, story } from "../../helpers/story.ts";
import { rolesIn, useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

const overloaded = anthropic.error(529, "Overloaded", { type: "overloaded_error" });
const failed = "assistant:  [error]";

async function startProviders(retry: object = { baseDelayMs: 1 }): Promise<ProviderServer> {
  const server = await serveModels(workspace);
  await workspace.write("agent/settings.json", { retry });
  return server;
}

async function start(retry?: object): Promise<{ server: ProviderServer; rpc: RpcConnection }> {
  const server = await startProviders(retry);
  return { server, rpc: await serveHere(workspace, { model: "local-anthropic/claude" }) };
}

test("ER-019 ER-020 a failed answer is asked for again inside the pair", async () => {
  const server = await startProviders();
  const rpc = startRpc(workspace, ["--model", "local-anthropic/claude"]);
  server.respond(anthropic.error(529, "Overloaded", { headers: { "retry-after-ms": "7" } }), anthropic.text("Hello"));
  await rpc.request({ type: "prompt", message: "Hi" });
  expect(await rpc.waitFor({ type: "auto_retry_start" })).toEqual({
    type: "auto_retry_start",
    attempt: 1,
    maxAttempts: 3,
    delayMs: 7,
    errorMessage: expect.stringContaining("Overloaded"),
  });
  await rpc.waitFor({ type: "agent_settled" });
  expect(story(rpc.records)).toEqual([
    ...["agent_start", "turn_start", "user: Hi", failed, "turn_end", "retry 1 of 3"],
    ...["turn_start", "assistant: Hello", "retry over at 1: success", "turn_end", "agent_end", "agent_settled"],
  ]);
  expect(rpc.records.find(({ type }) => type === "auto_retry_end")).toEqual({ type: "auto_retry_end", success: true, attempt: 1 });
  expect(rpc.records.find(({ type }) => type === "agent_end")).toMatchObject({ willRetry: false });
  expect(rolesIn(await workspace.sessionLines())).toEqual(["user", "assistant", "assistant"]);
  expect(server.requests.map(({ body }) => (body as { messages: object[] }).messages.length)).toEqual([1, 1]);
});

test("ER-019 four requests and no more, then the last error", async () => {
  const { server, rpc } = await start();
  server.respond(...Array.from({ length: 8 }, () => overloaded));
  const records = await rpc.promptAndWait("Hi");
  expect(server.requests).toHaveLength(4);
  expect(records.filter(({ type }) => type === "auto_retry_end")).toEqual([
    { type: "auto_retry_end", success: false, attempt: 3, finalError: expect.stringContaining("Overloaded") },
  ]);
  expect(story(records).slice(-2)).toEqual(["agent_end", "agent_settled"]);
});

test("ER-015 a 401 is not retried", async () => {
  const { server, rpc } = await start();
  server.respond(anthropic.error(401, "invalid x-api-key", { type: "authentication_error" }));
  const records = await rpc.promptAndWait("Hi");
  expect(story(records)).toEqual(["agent_start", "turn_start", "user: Hi", failed, "turn_end", "agent_end", "agent_settled"]);
  expect(server.requests).toHaveLength(1);
});

test.each(["abort", "abort_retry", "new_session"])(
  "RP-008 ER-021 %s ends the wait at once; until then isStreaming is true",
  async (type) => {
    const { server, rpc } = await start({ baseDelayMs: 60_000 });
    server.respond(overloaded, anthropic.text("Hello"));
    await rpc.request({ type: "prompt", message: "Hi" });
    await rpc.waitFor({ type: "auto_retry_start" });
    expect((await rpc.request({ type: "get_state" })).data).toMatchObject({ isStreaming: true, autoRetryEnabled: true });
    expect(await rpc.request({ type })).toMatchObject({ success: true });
    await rpc.waitFor({ type: "agent_settled" });
    expect(story(rpc.records).slice(4)).toEqual([
      ...["turn_end", "retry 1 of 3", "retry over at 1: The retry was cancelled."],
      ...(type === "abort_retry" ? [] : abortedTurn),
      ...["agent_end", "agent_settled"],
    ]);
    expect(server.requests).toHaveLength(1);
    await rpc.promptAndWait("Again");
    expect((await rpc.request({ type: "get_last_assistant_text" })).data).toEqual({ text: "Hello" });
  },
);

test("set_auto_retry turns it off and on, and get_state tells", async () => {
  const { server, rpc } = await start();
  server.respond(overloaded, overloaded, anthropic.text("Hello"));
  await rpc.request({ type: "set_auto_retry", enabled: false });
  expect((await rpc.request({ type: "get_state" })).data).toMatchObject({ autoRetryEnabled: false });
  expect(story(await rpc.promptAndWait("Hi")).filter((line) => line.startsWith("retry"))).toEqual([]);
  await rpc.request({ type: "set_auto_retry", enabled: true });
  expect(story(await rpc.promptAndWait("Hi")).filter((line) => line.startsWith("retry"))).toEqual([
    ...["retry 1 of 3", "retry over at 1: success"],
  ]);
});

test("abort_retry when nothing waits succeeds and stops nothing", async () => {
  const { server, rpc } = await start();
  const reply = Promise.withResolvers<void>();
  server.respond({ ...anthropic.text("Hello"), after: reply.promise });
  await rpc.request({ type: "abort_retry" });
  await rpc.request({ type: "prompt", message: "Hi" });
  await server.nextRequest();
  expect(await rpc.request({ type: "abort_retry" })).toEqual({
    id: expect.anything(),
    type: "response",
    command: "abort_retry",
    success: true,
  });
  reply.resolve();
  await rpc.waitFor({ type: "agent_settled" });
  expect(story(rpc.records)).toContain("assistant: Hello");
});

test("the end of stdin during the wait ends it, exit code 0", async () => {
  const { server, rpc } = await start({ baseDelayMs: 60_000 });
  server.respond(overloaded);
  await rpc.request({ type: "prompt", message: "Hi" });
  await rpc.waitFor({ type: "auto_retry_start" });
  expect(await rpc.end()).toBe(0);
  const over = "retry over at 1: The retry was cancelled.";
  expect(story(rpc.records).slice(-6)).toEqual([over, ...abortedTurn, "agent_end", "agent_settled"]);
});

test.each([
  ["connecting", { after: new Promise<never>(() => {}) }],
  ["streaming", anthropic.answer([{ text: "Half" }], { ending: [keepOpen] })],
])("RP-008 abort while %s: the server sees the connection close", async (phase, response) => {
  const { server, rpc } = await start();
  server.respond(response);
  await rpc.request({ type: "prompt", message: "Hi" });
  const request = await server.nextRequest();
  if (phase === "streaming") await rpc.waitFor({ type: "message_update" });
  expect(await rpc.request({ type: "abort" })).toMatchObject({ success: true });
  await request.closed;
  expect(story(rpc.records).slice(-3)).toEqual(["turn_end", "agent_end", "agent_settled"]);
  expect(server.requests).toHaveLength(1);
});
