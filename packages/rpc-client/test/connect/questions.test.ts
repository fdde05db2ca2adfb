import { expect, test } from "vitest";
import { connected, settle } from "../helpers/fake-server.ts";

const confirm = { type: "extension_ui_request", id: "ui_1", method: "confirm", title: "Sure?", message: "rm" };
const call = { type: "host_tool_call", id: "host_1", toolCallId: "t1", toolName: "stock", arguments: { article: "lamp" } };
const again = { again: true, epoch: "e1", seq: 1 };
const stock = { name: "stock", description: "", parameters: { type: "object" } };

test("a question is asked once, and its answer, which may have been lost, is sent again", async () => {
  const { server, client, connection } = await connected();
  const asked: unknown[] = [];
  client.onConfirm((fields) => {
    asked.push(fields);
    return true;
  });
  connection.frames(confirm);
  const response = { type: "extension_ui_response", id: "ui_1", confirmed: true };
  expect(await connection.received()).toEqual(response);
  connection.cut();
  const next = await server.connection();
  next.ready("e1", 1);
  next.send({ ...confirm, ...again });
  expect(await next.received()).toEqual(response);
  next.frames(response);
  await settle(client, next);
  expect(asked).toEqual([{ title: "Sure?", message: "rm" }]);
});

test("an answer that is given without a connection arrives over the next one", async () => {
  const { server, client, connection } = await connected();
  const asked = Promise.withResolvers<void>();
  const decided = Promise.withResolvers<boolean>();
  client.onConfirm(() => {
    asked.resolve();
    return decided.promise;
  });
  connection.frames(confirm);
  await asked.promise;
  connection.cut();
  decided.resolve(false);
  const next = await server.connection();
  next.ready("e1", 1);
  next.send({ ...confirm, ...again });
  expect(await next.received()).toEqual({ type: "extension_ui_response", id: "ui_1", confirmed: false });
});

test("a question that another client answers is closed; one without a handler is left to others, until there is a handler", async () => {
  const { client, connection } = await connected();
  const signals: AbortSignal[] = [];
  const aborted = Promise.withResolvers<void>();
  const off = client.onConfirm((_, { signal }) => {
    signals.push(signal as AbortSignal);
    signal.addEventListener("abort", () => aborted.resolve());
    return aborted.promise.then(() => true);
  });
  connection.frames(confirm, { type: "extension_ui_response", id: "ui_1", confirmed: true });
  await aborted.promise;
  off();
  connection.frames(
    { ...confirm, id: "ui_2" },
    { ...confirm, id: "ui_3" },
    { type: "extension_ui_response", id: "ui_2", cancelled: true },
  );
  // Nothing was answered: the next record is this command.
  await settle(client, connection);
  client.onConfirm(() => false);
  expect(await connection.received()).toEqual({ type: "extension_ui_response", id: "ui_3", confirmed: false });
  expect(signals).toHaveLength(1);
});

test("questions whose end was missed are closed after a resync, and those that are still open stay", async () => {
  const { client, connection } = await connected();
  const closed: string[] = [];
  client.onInput(({ title }, { signal }) => {
    return new Promise((resolve) =>
      signal.addEventListener("abort", () => {
        closed.push(title);
        resolve(undefined);
      }),
    );
  });
  const input = (id: string) => ({ type: "extension_ui_request", id, method: "input", title: id });
  connection.frames(input("ui_1"), input("ui_2"));
  connection.resync("overrun", 50);
  connection.send({ ...input("ui_2"), again: true, epoch: "e1", seq: 2 });
  connection.answer(await connection.received(), { sessionId: "s1" });
  await settle(client, connection);
  expect(closed).toEqual(["ui_1"]);
});

test("a call of a tool runs once, over two connections, and its result is sent again until the call ends", async () => {
  const { server, client, connection } = await connected();
  let runs = 0;
  const tools = client.setTools([
    {
      ...stock,
      execute: () => {
        runs += 1;
        return "12";
      },
    },
  ]);
  connection.answer(await connection.received(), { toolNames: ["stock"] });
  await tools;
  connection.frames(call);
  const result = await connection.received();
  expect(result).toMatchObject({ type: "host_tool_result", id: "host_1" });
  connection.cut();
  const next = await server.connection();
  next.ready("e1", 1);
  next.send({ ...call, ...again });
  expect(await next.received()).toEqual(result);
  next.frames({ type: "tool_execution_end", toolCallId: "t1", toolName: "stock", result: {}, isError: false });
  await settle(client, next);
  expect(runs).toBe(1);
});

test("a call of another client's tool is left to it; a client that registers the tool later takes over the open call", async () => {
  const { client, connection } = await connected();
  connection.frames(call, { ...call, id: "host_2", toolCallId: "t2" }, { type: "host_tool_cancel", id: "c1", targetId: "host_2" });
  await settle(client, connection);
  const tools = client.setTools([{ ...stock, execute: ({ article }) => `${article}: 12` }]);
  connection.answer(await connection.received(), { toolNames: ["stock"] });
  await tools;
  expect(await connection.received()).toEqual({
    type: "host_tool_result",
    id: "host_1",
    result: { content: [{ type: "text", text: "lamp: 12" }] },
  });
});

test("a call of a model that is cut off in the middle of its answer is failed over the next connection, so that it is made again", async () => {
  const { server, client, connection } = await connected();
  const aborted = Promise.withResolvers<void>();
  const models = client.setModels([
    {
      id: "m",
      async *model({ signal }) {
        signal.addEventListener("abort", () => aborted.resolve());
        yield { type: "text_start", contentIndex: 0 };
        await aborted.promise;
      },
    },
  ]);
  const { id } = await connection.received();
  connection.send({ type: "response", id, command: "set_host_models", success: true, data: { models: [] }, after: 0 });
  await models;
  const asked = { type: "host_model_call", id: "model_1", modelId: "m", context: { messages: [], tools: [] }, options: {} };
  connection.frames(asked);
  expect(await connection.received()).toMatchObject({ type: "host_model_event", id: "model_1" });
  connection.cut();
  const next = await server.connection();
  next.ready("e1", 1);
  next.send({ ...asked, ...again });
  expect(await next.received()).toMatchObject({ type: "host_model_error", id: "model_1", retryable: true });
  next.frames({ type: "host_model_cancel", id: "model_cancel_2", targetId: "model_1" });
  await aborted.promise;
});
