import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "@pikit/test-kit";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Member, startMemberIn } from "../../../helpers/fleet.ts";
import { begin, call, command, openEvents, openSocket } from "../../../helpers/http-client.ts";
import { SharedMemory } from "../../../helpers/shared-store.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

/** `b` forwards what is for `a`. */
async function pair(options: Parameters<typeof startMemberIn>[2] = {}): Promise<{ memory: SharedMemory; a: Member; b: Member }> {
  const memory = new SharedMemory();
  const a = await startMemberIn(workspace, memory);
  return { memory, a, b: await startMemberIn(workspace, memory, { forward: true, ...options }) };
}

/** A server that answers every request with 307 to the address that the test gives, and remembers the requests. */
async function startSender(to: () => string): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.writeHead(307, { "pi-session-server": to(), location: `${to()}${request.url}` }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** The number of clients that watch a session of a server. */
async function watchers(server: Member): Promise<number> {
  const line = (await call(server, "GET", "/metrics")).text.split("\n").find((each) => each.startsWith("pi_watchers "));
  return Number(line?.split(" ")[1]);
}

describe("a server that forwards", () => {
  test("answers requests for a session of another server as that one does", async () => {
    const { a, b } = await pair();
    const id = await begin(a, { model: await workspace.script({ text: "Hello" }, { text: "Again" }) });
    const path = `/v1/sessions/${id}`;
    expect((await call(b, "GET", path)).json).toMatchObject({ id, live: true });
    expect((await call(b, "GET", path)).json).toEqual((await call(a, "GET", path)).json);
    const state = await call(b, "POST", `${path}/commands`, { body: { type: "get_state", id: "é 1" } });
    expect(state).toMatchObject({ status: 200, json: { id: "é 1", success: true, data: { sessionId: id } } });
    expect(state.headers["pi-position"]).toMatch(/:\d+$/);
    expect((await call(b, "POST", "/v1/sessions", { body: { session: { id } } })).json).toMatchObject({ opened: "live" });
    expect(await call(b, "HEAD", `${path}/events`)).toMatchObject({ status: 200, text: "" });
    const answered = await call(b, "POST", `${path}/commands`, { body: { type: "extension_ui_response", id: "none" } });
    expect(answered).toMatchObject({ status: 204, text: "" });
    const refused = await call(b, "POST", "/v1/sessions", { body: { session: { id }, readOnly: true } });
    expect(refused).toMatchObject({ status: 409, json: { error: { code: "conflict" } } });
    expect((await call(b, "POST", `${path}/commands`, { body: {}, token: "wrong" })).status).toBe(401);
  });

  test("runs a command once, however often it comes with its key, and over which server", async () => {
    const { a, b } = await pair();
    const id = await begin(a, { model: await workspace.script({ text: "Hello" }, { text: "Again" }) });
    const events = await openEvents(a, id);
    const send = (to: Member) =>
      call(to, "POST", `/v1/sessions/${id}/commands`, {
        body: { type: "prompt", message: "Hi" },
        headers: { "idempotency-key": "k1" },
      });
    const answers = [await send(b), await send(a), await send(b)];
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    await events.waitFor({ type: "agent_settled" });
    expect((await command(a, id, { type: "get_state" })).data.messageCount).toBe(2);
  });

  test("streams events, which end with their session", async () => {
    const { a, b } = await pair();
    const id = await begin(a, { model: await workspace.script({ text: "Hello" }) });
    const [direct, forwarded] = [await openEvents(a, id), await openEvents(b, id)];
    await command(b, id, { type: "prompt", message: "Hi" });
    await direct.waitFor({ type: "agent_settled" });
    await forwarded.waitFor({ type: "agent_settled" });
    expect(forwarded.frames).toEqual(direct.frames);
    const leaving = await openEvents(b, id);
    expect(await watchers(a)).toBe(3);
    leaving.close();
    await until("the other server knows that the client has left", async () => (await watchers(a)) === 2);
    await a.close();
    await forwarded.ended;
  });

  test("joins sockets, in both directions, until one side leaves", async () => {
    const { a, b } = await pair();
    const id = await begin(a);
    const { socket, waitFor, ended } = await openSocket(b, id, "?client=c1&stream=snapshots");
    socket.send(JSON.stringify({ type: "get_state", id: "s1" }));
    expect(await waitFor({ type: "response", id: "s1" })).toMatchObject({ success: true, data: { streamMode: "snapshots" } });
    const long = "x".repeat(300_000);
    socket.send(JSON.stringify({ type: "set_session_name", name: long, id: "s2" }));
    await waitFor({ type: "response", id: "s2" });
    socket.send(JSON.stringify({ type: "get_state", id: "s3" }));
    expect(await waitFor({ type: "response", id: "s3" })).toMatchObject({ data: { sessionName: long } });
    const second = await openSocket(b, id);
    await second.waitFor({ type: "resync" });
    expect(await watchers(a)).toBe(2);
    second.close();
    await until("its end has reached the other server", async () => (await watchers(a)) === 1);
    await a.close();
    await ended;
  });

  test("cuts the sockets when it ends", async () => {
    const { a, b } = await pair();
    const id = await begin(a);
    const socket = await openSocket(b, id);
    await b.close();
    await socket.ended;
    expect((await call(a, "GET", `/v1/sessions/${id}`)).json.live).toBe(true);
  });

  test("tells the client when the other server does not answer, also for a socket", async () => {
    const { a, b } = await pair();
    const id = await begin(a);
    const { url } = await startSender(() => "");
    await a.close();
    a.store.announce(url.replace(/\d+$/, "1"));
    // The store still thinks that the session is open there.
    a.store.open(id, () => undefined);
    const answer = await call(b, "GET", `/v1/sessions/${id}`);
    expect(answer).toMatchObject({ status: 503, json: { error: { code: "unavailable" } } });
    expect(answer.headers["retry-after"]).toBe("1");
    expect(answer.json.error.message).toContain("ECONNREFUSED");
    await expect(openSocket(b, id)).rejects.toThrow("503");
  });

  test("follows a session that moves, but not for ever, and not to itself", async () => {
    const { memory, a, b } = await pair();
    const id = await begin(a);
    const c = memory.connect();
    const targets = [a.url];
    const sender = await startSender(() => targets[0] ?? "");
    a.store.announce(sender.url);
    expect((await call(b, "GET", `/v1/sessions/${id}`)).json).toMatchObject({ id, live: true });
    expect(sender.requests[0]?.headers).toMatchObject({ "pi-forwarded": "1", authorization: `Bearer ${b.token}` });
    targets[0] = sender.url;
    expect(await call(b, "GET", `/v1/sessions/${id}`)).toMatchObject({ status: 503, json: { error: { code: "unavailable" } } });
    expect(sender.requests).toHaveLength(4);
    targets[0] = b.url;
    expect(await call(b, "GET", `/v1/sessions/${id}`)).toMatchObject({ status: 503 });
    expect(sender.requests).toHaveLength(5);
    await c.close();
  });

  test("does not forward what another server has forwarded to it", async () => {
    const { a, b } = await pair();
    const id = await begin(a);
    const answer = await call(b, "GET", `/v1/sessions/${id}`, { headers: { "pi-forwarded": "1" } });
    expect([answer.status, answer.headers["pi-session-server"]]).toEqual([307, a.url]);
  });

  test("opens what nobody has open itself, and what a page of it asks for", async () => {
    const { a, b } = await pair();
    const id = await begin(a);
    const headers = { origin: b.url };
    expect((await call(b, "GET", `/v1/sessions/${id}`, { headers })).json).toMatchObject({ live: true });
    await a.close();
    expect((await command(b, id, { type: "get_state" })).data.sessionId).toBe(id);
    expect((await call(b, "GET", `/v1/sessions/${id}`)).json).toMatchObject({ live: true });
  });
});
