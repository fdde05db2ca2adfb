import { holdClock } from "@pikit/test-kit/clock";
import { expect, test } from "vitest";
import { RpcClient } from "../../src/index.ts";
import { errorOf } from "../helpers/clients.ts";
import { connected, FakeServer, settle } from "../helpers/fake-server.ts";
import { settled } from "../helpers/records.ts";

test("a session is begun with the options, again after a temporary failure, and then connected to", async () => {
  const server = await FakeServer.start();
  const create = { session: "memory", cwd: "/work", model: "demo/tour", limits: { maxTurns: 3 } } as const;
  const connecting = RpcClient.connect(`${server.url}/`, { token: "t", create, reconnectDelayMs: 1 });
  const first = await server.request();
  expect(first).toMatchObject({ method: "POST", path: "/v1/sessions", body: create, headers: { authorization: "Bearer t" } });
  first.answer(503, { error: { code: "closing", message: "It ends." } });
  const second = await server.request();
  expect(second.headers["idempotency-key"]).toBe(first.headers["idempotency-key"]);
  second.answer(201, { sessionId: "s 9", sessionFile: null, cwd: "/work", opened: "new" });
  const connection = await server.connection();
  expect(connection.path).toBe("/v1/sessions/s%209/socket");
  connection.begin("start", "e1", 0);
  await (await connecting).stop();
});

test.each([401, 403, 404, 409, 422])("a refusal with status %i rejects with the reason of the server", async (status) => {
  const server = await FakeServer.start();
  const creating = errorOf(RpcClient.connect(server.url));
  (await server.request()).answer(status, { error: { code: "some_code", message: "This is why." } });
  const expected = { name: "AgentProcessError", code: "refused", message: expect.stringMatching(/some_code.*This is why\./) };
  expect(await creating).toMatchObject(expected);
  server.refusals.push({ status, code: "some_code", message: "This is why." });
  expect(await errorOf(RpcClient.connect(server.url, { sessionId: "s1" }))).toMatchObject(expected);
});

test("a server that does not exist, or is none of pi's, or speaks another version, rejects at once", async () => {
  const server = await FakeServer.start();
  const { url } = server;
  const other = errorOf(RpcClient.connect(url));
  (await server.request()).answer(200, { hello: "world" });
  expect(await other).toMatchObject({ code: "refused", message: expect.stringContaining("does not answer like a server of pi") });
  const versions = errorOf(RpcClient.connect(url, { sessionId: "s1" }));
  (await server.connection()).send({ type: "ready", protocolVersion: 2, version: "9.0.0", epoch: "e1", seq: 0 });
  expect(await versions).toMatchObject({ code: "wrong_version", message: expect.stringContaining("pi 9.0.0") });
  server.stop();
  expect(await errorOf(RpcClient.connect(url))).toMatchObject({
    code: "start_failed",
    message: expect.stringContaining("ECONNREFUSED"),
  });
  expect(await errorOf(RpcClient.connect(url, { sessionId: "s1" }))).toMatchObject({ code: "start_failed" });
  expect(await errorOf(RpcClient.connect("ftp://localhost"))).toBeInstanceOf(TypeError);
  const token = () => Promise.reject(new Error("no such file"));
  expect(await errorOf(RpcClient.connect(url, { token }))).toMatchObject({ message: expect.stringContaining("no such file") });
});

test("connect ends with its signal, and after its timeout", async () => {
  const server = await FakeServer.start();
  const abort = new AbortController();
  const aborted = errorOf(RpcClient.connect(server.url, { sessionId: "s1", signal: abort.signal }));
  const first = await server.connection();
  abort.abort();
  expect(await aborted).toMatchObject({ name: "RpcAbortError", command: "connect" });
  await first.closed;
  const clock = holdClock();
  const late = errorOf(RpcClient.connect(server.url, { sessionId: "s1", startTimeoutMs: 60_000 }));
  const second = await server.connection();
  clock.pass(60_000);
  expect(await late).toMatchObject({ code: "start_timeout" });
  await second.closed;
});

test("it gives up after the maximum of attempts, or when the server refuses it for good", async () => {
  const { server, client, connection } = await connected({ maxReconnects: 2 });
  const exits: string[] = [];
  client.onExit(({ code }) => exits.push(code));
  const reading = errorOf(
    (async () => {
      for await (const _ of client.events());
    })(),
  );
  const unavailable = { status: 503, code: "closing", message: "It ends." };
  server.refusals.push(unavailable, unavailable);
  connection.cut();
  expect(await reading).toMatchObject({ code: "gave_up", message: expect.stringContaining("It ends.") });
  expect(await errorOf(client.getState())).toMatchObject({ code: "gave_up" });

  const starting = client.start();
  const next = await server.connection();
  next.begin("start", "e1", 0);
  await starting;
  server.refusals.push({ status: 404, code: "not_found", message: "There is no such session." });
  const state = errorOf(client.getState());
  await next.received();
  next.cut();
  expect(await state).toMatchObject({ code: "refused" });
  expect(exits).toEqual(["gave_up", "refused"]);
});

test("a silent connection is given up after 45 seconds, and pings keep a quiet one", async () => {
  const clock = holdClock();
  const { server, client, connection } = await connected();
  connection.frames(settled);
  for (let quiet = 0; quiet < 4; quiet += 1) {
    await connection.ping();
    clock.pass(30_000);
  }
  await connection.ping();
  await settle(client, connection);
  clock.pass(61_000);
  const next = await clock.passUntil(server.connection());
  expect(next.query.get("since")).toBe("e1:1");
});

test("a reader that falls behind stops the reading, and gets everything", async () => {
  const { client, connection } = await connected();
  const events = client.events({ maxWaiting: 10 });
  await events.next();
  const count = 3000;
  connection.frames(...Array.from({ length: count }, (_, index) => ({ type: "error", error: `${index} ${"x".repeat(2000)}` })));
  const seen: string[] = [];
  while (seen.length < count) {
    const { value } = await events.next();
    if (value?.type === "error") seen.push(value.error.split(" ", 1)[0] ?? "");
  }
  expect(seen).toEqual(Array.from({ length: count }, (_, index) => `${index}`));
});
