import { describe, expect, test } from "vitest";
import { ConnectFailure } from "../../src/connect/failure.ts";
import { ServerAddress } from "../../src/connect/server-address.ts";
import { SessionServer } from "../../src/connect/session-server.ts";
import { RpcClient } from "../../src/index.ts";
import { errorOf } from "../helpers/clients.ts";
import { connected, FakeServer } from "../helpers/fake-server.ts";

const error = { code: "elsewhere", message: "The session is open in another server." };

/** What a server answers to an upgrade when another one has the session. */
const elsewhere = (server: string) => ({ status: 307, ...error, headers: { "pi-session-server": server } });

describe("a session that is live in another server", () => {
  test("is opened there, with the token", async () => {
    const [first, second] = [await FakeServer.start(), await FakeServer.start()];
    const connecting = RpcClient.connect(first.url, { token: "t", create: { session: { id: "s1" } } });
    const request = await first.request();
    const headers = { "pi-session-server": `${second.url}/`, location: `${second.url}/v1/sessions` };
    request.answer(307, { error }, headers);
    const again = await second.request();
    expect([again.method, again.path, again.headers.authorization]).toEqual(["POST", "/v1/sessions", "Bearer t"]);
    expect([again.body, again.headers["idempotency-key"]]).toEqual([request.body, request.headers["idempotency-key"]]);
    again.answer(200, { sessionId: "s1", sessionFile: null, cwd: "/work", opened: "live" });
    const connection = await second.connection();
    expect(connection.token).toBe("Bearer t");
    connection.begin("start", "e1", 0);
    await (await connecting).stop();
  });

  test("is watched there, also if the second server names a third one", async () => {
    const servers = [await FakeServer.start(), await FakeServer.start(), await FakeServer.start()] as const;
    const [first, second, third] = servers;
    first.refusals.push(elsewhere(second.url));
    second.refusals.push(elsewhere(third.url));
    const connecting = RpcClient.connect(first.url, { sessionId: "s1", token: "t", clientId: "c1" });
    const connection = await third.connection();
    expect([connection.path, connection.query.get("client"), connection.token]).toEqual([
      "/v1/sessions/s1/socket",
      "c1",
      "Bearer t",
    ]);
    connection.begin("start", "e1", 0);
    await (await connecting).stop();
  });

  test("is looked for at the given address when that server has gone", async () => {
    const { server: first, client, connection } = await connected({ maxReconnects: 3 });
    const second = await FakeServer.start();
    first.refusals.push(elsewhere(second.url));
    connection.cut();
    const there = await second.connection();
    expect(there.query.get("since")).toBe("e1:0");
    there.begin("epoch", "e2", 0);
    there.answer(await there.received(), { sessionId: "s1" });
    // It dies. Until the first server knows that, it names the dead one.
    first.refusals.push(elsewhere(second.url), elsewhere(second.url));
    const epochs: string[] = [];
    client.onEvent((event) => event.type === "resync" && epochs.push(event.epoch));
    second.stop();
    there.cut();
    const here = await first.connection();
    expect(here.query.get("since")).toBe("e2:0");
    here.begin("epoch", "e3", 0);
    here.answer(await here.received(), { sessionId: "s1" });
    expect(epochs).toEqual(["e3"]);
  });

  test("is looked for again when a first connection finds the named server dead", async () => {
    const [first, dead] = [await FakeServer.start(), await FakeServer.start()];
    const { url } = dead;
    dead.stop();
    first.refusals.push(elsewhere(url), elsewhere(url));
    const connecting = RpcClient.connect(first.url, { sessionId: "s1", reconnectDelayMs: 1 });
    const connection = await first.connection();
    connection.begin("start", "e1", 0);
    await (await connecting).stop();

    const opening = RpcClient.connect(first.url, { reconnectDelayMs: 1 });
    (await first.request()).answer(307, { error }, { "pi-session-server": url });
    (await first.request()).answer(201, { sessionId: "s2", sessionFile: null, cwd: "/work", opened: "new" });
    (await first.connection()).begin("start", "e2", 0);
    await (await opening).stop();
  });

  test("is given up when servers name each other without end, or nothing useful", async () => {
    const [first, second] = [await FakeServer.start(), await FakeServer.start()];
    first.refusals.push(...Array.from({ length: 9 }, () => elsewhere(second.url)));
    second.refusals.push(...Array.from({ length: 9 }, () => elsewhere(first.url)));
    const problem = await errorOf(RpcClient.connect(first.url, { sessionId: "s1" }));
    expect(problem).toMatchObject({ code: "start_failed", message: expect.stringContaining("status 307 (elsewhere)") });
    // Five times it went to where it was sent.
    expect([first.refusals.length, second.refusals.length]).toEqual([6, 6]);
    const lost = await FakeServer.start();
    lost.refusals.push(elsewhere("nonsense"));
    expect(await errorOf(RpcClient.connect(lost.url, { sessionId: "s1" }))).toMatchObject({ code: "start_failed" });
    const proxied = errorOf(RpcClient.connect(lost.url));
    (await lost.request()).answer(308, {}, { location: second.url });
    expect(await proxied).toMatchObject({ code: "start_failed", message: expect.stringContaining("status 308") });
  });
});

test("over https no server is followed to http, which would show the token", () => {
  const server = new SessionServer(new ServerAddress("https://pi.example/agents/"));
  const named = (address: string) => new ConnectFailure("elsewhere", { status: 307, server: address });
  expect(server.follow(named("http://10.0.0.5:4711"))).toBe(false);
  expect(server.follow(named("https://pi-2.example"))).toBe(true);
  expect(`${server.address}`).toBe("https://pi-2.example");
  expect(server.follow(named("http://10.0.0.5:4711"))).toBe(false);
  expect([server.leave(), `${server.address}`, server.leave()]).toEqual([true, "https://pi.example/agents", false]);
});
