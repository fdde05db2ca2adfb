import { expect, test } from "vitest";
import { errorOf } from "../helpers/clients.ts";
import { connected, settle } from "../helpers/fake-server.ts";
import { delta, end, run, settled, start } from "../helpers/records.ts";

const tool = { name: "stock", description: "", parameters: { type: "object" }, execute: () => "12" };

test("after a restart of the server, what may have run is rejected, what reads is asked again, and tools and settings come first", async () => {
  const isCut = Promise.withResolvers<void>();
  const mayReturn = Promise.withResolvers<void>();
  let connections = 0;
  // Asked for at each connection: this holds the second one.
  const token = async () => {
    connections += 1;
    if (connections === 2) isCut.resolve();
    if (connections === 2) await mayReturn.promise;
    return "t";
  };
  const { server, client, connection, events } = await connected({ token });
  const restarts: string[] = [];
  client.onRestart(({ code }) => restarts.push(code));
  const tools = client.setTools([tool]);
  connection.answer(await connection.received(), { toolNames: ["stock"] });
  await tools;
  const setting = client.setAutoRetry(false);
  connection.answer(await connection.received());
  await setting;
  const steer = errorOf(client.steer("Left"));
  const stats = client.getSessionStats();
  const abort = client.abort();
  for (let sent = 0; sent < 3; sent += 1) await connection.received();
  connection.cut();
  await isCut.promise;
  const neverSent = client.followUp("Later");
  mayReturn.resolve();
  const next = await server.connection();
  next.begin("epoch", "e2", 0);
  expect(await steer).toMatchObject({
    name: "RpcConnectionError",
    code: "outcome_unknown",
    message: expect.stringContaining('"steer"'),
  });
  await abort;
  const meanwhile = client.getMessages();
  const types: unknown[] = [];
  for (let count = 0; count < 7; count += 1) {
    const command = await next.received();
    types.push(command.type);
    next.answer(command, command.type === "get_messages" ? { messages: [] } : { sessionId: "s1" });
  }
  const handshake = ["get_protocol_info", "get_state", "set_auto_retry", "set_host_tools"];
  expect(types).toEqual(["get_session_stats", "follow_up", ...handshake, "get_messages"]);
  await Promise.all([stats, neverSent, meanwhile]);
  expect(restarts).toEqual(["exited"]);
  expect(events.map((event) => (event.type === "resync" ? event.reason : event.type))).toEqual(["start", "epoch"]);
});

test("a second restart during the first one is told too, and calls go on", async () => {
  const { server, client, connection } = await connected();
  const restarts: string[] = [];
  client.onRestart(({ code }) => restarts.push(code));
  connection.cut();
  const second = await server.connection();
  second.begin("epoch", "e2", 0);
  await second.received();
  const state = client.getState();
  second.cut();
  const third = await server.connection();
  third.begin("epoch", "e3", 0);
  for (let answers = 0; answers < 5; answers += 1) third.answer(await third.received(), { sessionId: "s1" });
  await state;
  expect(restarts.length).toBeGreaterThan(0);
});

test("a run that a restart of the server has ended rejects; so does one whose end was missed, but not one that goes on", async () => {
  const { server, client, connection } = await connected();
  const first = errorOf(client.promptAndWait("1"));
  connection.answer(await connection.received());
  connection.frames(start);
  await settle(client, connection);
  connection.cut();
  const second = await server.connection();
  second.begin("epoch", "e2", 0);
  expect(await first).toMatchObject({ name: "RpcConnectionError", code: "events_missed" });
  for (let handshake = 0; handshake < 2; handshake += 1) second.answer(await second.received(), { sessionId: "s1" });

  const next = client.promptAndWait("2");
  second.answer(await second.received());
  second.resync("overrun", 50, { state: { isStreaming: true } });
  second.answer(await second.received(), { sessionId: "s1" });
  second.frames(end("2"), settled);
  expect(await next).toMatchObject([{ content: "2" }]);

  const last = errorOf(client.promptAndWait("3"));
  second.answer(await second.received());
  second.resync("overrun", 90);
  expect(await last).toMatchObject({ code: "events_missed" });
});

test("a prompt whose run came and went before its response was read is not waited for", async () => {
  const { server, client, connection } = await connected();
  const missed = errorOf(client.promptAndWait("1"));
  const command = await connection.received();
  connection.cut();
  const next = await server.connection();
  next.begin("overrun", "e1", 90);
  const commands = [await next.received(), await next.received()];
  for (const each of commands) next.answer(each, {}, each.type === "prompt" ? 4 : 90);
  expect(commands.find(({ type }) => type === "prompt")).toEqual(command);
  expect(await missed).toMatchObject({ code: "events_missed" });

  const second = client.promptAndWait("2");
  next.answer(await next.received());
  next.frames(...run("2"));
  expect(await second).toMatchObject([{ content: "2" }]);
});

test("text() does not leave out what was missed: it throws, and the run goes on", async () => {
  const { client, connection } = await connected();
  const texts: string[] = [];
  const reading = errorOf(
    (async () => {
      for await (const text of client.text("Hi")) texts.push(text);
    })(),
  );
  connection.answer(await connection.received());
  const message = { role: "assistant", content: [], stopReason: "stop" };
  connection.frames(start, { type: "message_start", message }, delta({ type: "text_start", contentIndex: 0 }));
  connection.frames(delta({ type: "text_delta", contentIndex: 0, delta: "One" }));
  connection.resync("overrun", 50, { state: { isStreaming: true } });
  expect(await reading).toMatchObject({ code: "events_missed" });
  expect(texts).toEqual(["One"]);
  // The next record is not an abort.
  expect((await connection.received()).type).toBe("get_state");
  const state = client.getState();
  expect((await connection.received()).type).toBe("get_state");
  await client.stop();
  await errorOf(state);
});
