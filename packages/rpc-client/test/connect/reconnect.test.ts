import { expect, test } from "vitest";
import { RpcClient } from "../../src/index.ts";
import { errorOf } from "../helpers/clients.ts";
import { connected, FakeServer, settle } from "../helpers/fake-server.ts";
import { answer, delta, end, run, settled, start } from "../helpers/records.ts";

const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type);

test("the first event says what is going on, and a listener that is added after connect gets everything", async () => {
  const server = await FakeServer.start();
  const connecting = RpcClient.connect(server.url, { sessionId: "s1", token: async () => " secret\n", clientId: "c1" });
  const connection = await server.connection();
  expect(connection.path).toBe("/v1/sessions/s1/socket");
  expect(Object.fromEntries(connection.query)).toEqual({ stream: "deltas", client: "c1" });
  expect([connection.token, connection.protocols]).toEqual(["Bearer secret", "pi.rpc.v1"]);
  connection.begin("start", "e1", 7, { state: { isStreaming: true } });
  connection.frames(settled);
  await using client = await connecting;
  const events = client.events();
  expect((await events.next()).value).toMatchObject({ type: "resync", reason: "start", seq: 7, state: { isStreaming: true } });
  expect((await events.next()).value).toMatchObject({ type: "agent_settled" });
});

test("after a cut it comes back with its position, drops what it has, and sends commands without a response again, in order", async () => {
  const { server, client, connection, events } = await connected();
  connection.frames(start, { type: "turn_start" });
  await settle(client, connection);
  const state = client.getState();
  const prompt = client.prompt("Hi");
  const sent = [await connection.received(), await connection.received()];
  connection.cut();
  const next = await server.connection();
  expect(next.query.get("since")).toBe("e1:2");
  next.ready("e1", 1);
  expect([await next.received(), await next.received()]).toEqual(sent);
  next.frames({ type: "turn_start" }, settled);
  for (const command of sent) next.answer(command, {});
  await Promise.all([state, prompt]);
  expect(typesOf(events)).toEqual(["resync", "agent_start", "turn_start", "agent_settled"]);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(2);
});

test("commands that are sent while there is no connection wait for it", async () => {
  const { server, client, connection } = await connected();
  connection.cut();
  const steer = client.steer("Left");
  const next = await server.connection();
  next.ready("e1", 0);
  const command = await next.received();
  expect(command).toMatchObject({ type: "steer", message: "Left" });
  next.answer(command);
  await steer;
});

test("a command that has timed out without a connection is not sent later", async () => {
  const { server, client, connection } = await connected();
  connection.cut();
  const abort = new AbortController();
  const steer = errorOf(client.steer("Left", { signal: abort.signal }));
  abort.abort();
  expect(await steer).toMatchObject({ code: "aborted" });
  const next = await server.connection();
  next.ready("e1", 0);
  const state = client.getState();
  const command = await next.received();
  expect(command.type).toBe("get_state");
  next.answer(command, {});
  await state;
});

test("a missing frame is not skipped: the client asks for it", async () => {
  const { server, client, connection, events } = await connected();
  connection.frames(start);
  connection.send({ ...settled, epoch: "e1", seq: 3 });
  const next = await server.connection();
  expect(next.query.get("since")).toBe("e1:1");
  next.ready("e1", 1);
  next.frames({ type: "turn_start" }, settled);
  await settle(client, next);
  expect(typesOf(events)).toEqual(["resync", "agent_start", "turn_start", "agent_settled"]);
});

test("an answer continues over connections, and after a resync from its part so far", async () => {
  const { server, client, connection, events } = await connected();
  connection.frames(start, { type: "message_start", message: answer([]) });
  connection.frames(delta({ type: "text_start", contentIndex: 0 }), delta({ type: "text_delta", contentIndex: 0, delta: "One" }));
  await settle(client, connection);
  connection.cut();
  const second = await server.connection();
  second.ready("e1", 4);
  second.frames(delta({ type: "text_delta", contentIndex: 0, delta: " two" }));
  await settle(client, second);
  second.cut();
  const third = await server.connection();
  expect(third.query.get("since")).toBe("e1:5");
  third.begin("overrun", "e1", 90, { message: answer([{ type: "text", text: "One two three" }]), state: { isStreaming: true } });
  third.frames(delta({ type: "text_delta", contentIndex: 0, delta: " four" }));
  await settle(client, third);
  const texts = events.flatMap((event) => (event.type === "message_update" ? [event.message.content[0]] : []));
  expect(texts.at(-1)).toEqual({ type: "text", text: "One two three four" });
  expect(texts.slice(-2, -1)).toEqual([{ type: "text", text: "One two" }]);
});

test("the arguments of a call whose beginning was missed stay until the call is complete", async () => {
  const { client, connection, events, server } = await connected();
  const call = { type: "toolCall", id: "t1", name: "read", arguments: { path: "a" } };
  connection.cut();
  const next = await server.connection();
  next.begin("overrun", "e1", 10, { message: answer([call]), state: { isStreaming: true } });
  next.frames(delta({ type: "toolcall_delta", contentIndex: 0, delta: 'bc"}' }));
  const toolCall = { ...call, arguments: { path: "abc" } };
  next.frames(delta({ type: "toolcall_end", contentIndex: 0, toolCall }));
  await settle(client, next);
  const calls = events.flatMap((event) => (event.type === "message_update" ? [event.message.content[0]] : []));
  expect(calls).toEqual([call, toolCall]);
});

test("the events of a run that were sent again in another order than its response belong to their prompts", async () => {
  const { server, client, connection } = await connected();
  const first = client.promptAndWait("1");
  connection.answer(await connection.received());
  connection.frames(start);
  const second = client.promptAndWait("2", { streamingBehavior: "followUp" });
  const command = await connection.received();
  connection.cut();
  const next = await server.connection();
  next.ready("e1", 1);
  // The response came first after frame 3; now the frames come at once, and the response behind them.
  next.frames(end("1"), settled, ...run("2"));
  expect(await next.received()).toEqual(command);
  next.answer(command, undefined, 3);
  expect([await first, await second]).toMatchObject([[{ content: "1" }], [{ content: "2" }]]);
});

test("a run of another client is not taken for that of a prompt", async () => {
  const { client, connection } = await connected();
  const mine = client.promptAndWait("mine");
  const command = await connection.received();
  connection.frames(...run("foreign"));
  connection.answer(command);
  connection.frames(...run("mine"));
  expect(await mine).toMatchObject([{ content: "mine" }]);
});

test("stop closes the connection, rejects open calls, and start connects to the same session", async () => {
  const { server, client, connection, events } = await connected();
  const exits: string[] = [];
  client.onExit(({ code }) => exits.push(code));
  const state = errorOf(client.getState());
  await connection.received();
  await client.stop();
  expect(await connection.closed).toBe(1000);
  expect(await state).toMatchObject({ name: "AgentProcessError", code: "stopped" });
  expect(await errorOf(client.getState())).toMatchObject({ code: "stopped" });
  await client.stop();
  const starting = client.start();
  const next = await server.connection();
  expect(next.path).toBe("/v1/sessions/s1/socket");
  expect(next.query.get("since")).toBe(null);
  next.begin("start", "e1", 3);
  await starting;
  expect(await errorOf(client.start())).toMatchObject({ code: "already_started" });
  expect(typesOf(events)).toEqual(["resync", "resync"]);
  expect(exits).toEqual(["stopped"]);
});

test("stop does not wait for a connection that is being made", async () => {
  const { server, client, connection } = await connected();
  connection.cut();
  const next = await server.connection();
  await client.stop();
  expect(await next.closed).toBeGreaterThan(0);
});

test("reconnects follow the session to another id", async () => {
  const { server, client, connection } = await connected();
  const fork = client.fork("m1");
  connection.answer(await connection.received(), { text: "", cancelled: false });
  connection.answer(await connection.received(), { sessionId: "s2" });
  await fork;
  await settleUntil(connection);
  connection.cut();
  const next = await server.connection();
  expect(next.path).toBe("/v1/sessions/s2/socket");
  // Another client moves it while this one is away.
  next.ready("e1", 0, "s3");
  await settle(client, next, "s3");
  next.cut();
  expect((await server.connection()).path).toBe("/v1/sessions/s3/socket");
});

/** Waits until the other side has read everything. */
async function settleUntil(connection: { ping(): Promise<void> }): Promise<void> {
  await connection.ping();
}
