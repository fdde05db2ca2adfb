import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { until } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { SessionError } from "../../../../src/errors.ts";
import { type Member, startMemberIn } from "../../../helpers/fleet.ts";
import { begin, call, command, openEvents, openSocket, type Served, sendRaw } from "../../../helpers/http-client.ts";
import { SharedMemory } from "../../../helpers/shared-store.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

const startMember = (memory: SharedMemory, options?: Parameters<typeof startMemberIn>[2]) =>
  startMemberIn(workspace, memory, options);

async function pair(): Promise<{ memory: SharedMemory; a: Member; b: Member }> {
  const memory = new SharedMemory();
  return { memory, a: await startMember(memory), b: await startMember(memory) };
}

/** Sends a prompt and waits for the end of its run. */
async function prompt(served: Served, id: string, message: string): Promise<void> {
  const events = await openEvents(served, id);
  await command(served, id, { type: "prompt", message });
  await events.waitFor({ type: "agent_settled" });
  events.close();
}

async function describeOne(served: Served, id: string) {
  return (await call(served, "GET", `/v1/sessions/${id}`)).json;
}

describe("a session that is live in one server", () => {
  test("is answered by the others with where it lives, from its beginning on and whatever is asked", async () => {
    const { a, b } = await pair();
    const id = await begin(a);
    const path = `/v1/sessions/${id}`;
    const asked = [
      await call(b, "GET", path),
      await call(b, "GET", `${path}/events?stream=deltas&since=x%3A1`),
      await call(b, "POST", `${path}/commands`, { body: { type: "prompt", message: "Hi" } }),
      await call(b, "POST", "/v1/sessions", { body: { session: { id } } }),
      await call(b, "POST", "/v1/sessions", { body: { session: { idPrefix: id.slice(0, 20) } } }),
      await call(b, "POST", "/v1/sessions", { body: { session: "continue" } }),
    ];
    for (const { status, headers, json } of asked) {
      expect([status, headers["pi-session-server"], json.error.code]).toEqual([307, a.url, "elsewhere"]);
    }
    expect(asked.map(({ headers }) => headers.location)).toEqual([
      `${a.url}${path}`,
      `${a.url}${path}/events?stream=deltas&since=x%3A1`,
      `${a.url}${path}/commands`,
      ...Array.from({ length: 3 }, () => `${a.url}/v1/sessions`),
    ]);
    expect(await call(b, "HEAD", `${path}/events`)).toMatchObject({ status: 307, text: "" });
    expect((await describeOne(a, id)).live).toBe(true);
  });

  test("answers an upgrade to a WebSocket with 307, too", async () => {
    const { a, b } = await pair();
    const id = await begin(a);
    const upgrade = [
      `GET /v1/sessions/${id}/socket HTTP/1.1`,
      `Host: ${new URL(b.url).host}`,
      `Authorization: Bearer ${b.token}`,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Version: 13",
    ];
    const answer = await sendRaw(b, `${upgrade.join("\r\n")}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 307 Temporary Redirect\r\n/);
    expect(answer).toContain(`location: ${a.url}/v1/sessions/${id}/socket\r\n`);
    expect(answer).toContain(`pi-session-server: ${a.url}\r\n`);
  });

  test("is in the list of the others, with the server that knows its state", async () => {
    const { a, b } = await pair();
    const model = await workspace.script({
      toolCalls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.02; done" } }],
    });
    const id = await begin(a, { model });
    await command(a, id, { type: "prompt", message: "Wait" });
    await until("the prompt is stored", async () => (await call(b, "GET", "/v1/sessions")).json.sessions[0]?.firstPrompt);
    const list = async (served: Served) => (await call(served, "GET", "/v1/sessions")).json.sessions;
    expect(await list(b)).toMatchObject([{ id, live: false, streaming: false, interrupted: false, server: a.url }]);
    const [own] = await list(a);
    expect(own).toMatchObject({ id, live: true, streaming: true, interrupted: false });
    expect(own).not.toHaveProperty("server");
    await workspace.write("work/go", "");
  });

  test("is refused with 409 by the others if its server has no address for them", async () => {
    const memory = new SharedMemory();
    const a = await startMember(memory, { host: "0.0.0.0" });
    const b = await startMember(memory);
    const id = await begin(a);
    expect(a.store.address).toBeNull();
    const { status, json, headers } = await call(b, "POST", `/v1/sessions/${id}/commands`, { body: { type: "get_state" } });
    expect([status, json.error.code, headers["retry-after"]]).toEqual([409, "conflict", "1"]);
    expect(json.error.message).toContain("--announce");
    expect(await describeOne(b, id)).toMatchObject({ id, live: false, server: null });
  });

  test("is given with the announced address, by which its server is then called", async () => {
    const memory = new SharedMemory();
    const a = await startMember(memory, { host: "0.0.0.0", announce: "http://agents.example:8080/pi/" });
    const b = await startMember(memory);
    const id = await begin(a);
    const { headers } = await call(b, "GET", `/v1/sessions/${id}`);
    expect(headers.location).toBe(`http://agents.example:8080/pi/v1/sessions/${id}`);
    expect(headers["pi-session-server"]).toBe("http://agents.example:8080/pi");
    expect((await call(a, "GET", "/v1/health", { headers: { host: "agents.example:8080" } })).status).toBe(200);
    expect((await call(b, "GET", "/v1/health", { headers: { host: "agents.example:8080" } })).status).toBe(403);
    await expect(startMember(memory, { announce: "agents.example" })).rejects.toThrow(/^--announce must be the address/);
  });

  test("in memory only is unknown to the others", async () => {
    const { a, b } = await pair();
    const id = await begin(a, { session: "memory" });
    expect((await call(b, "GET", `/v1/sessions/${id}`)).status).toBe(404);
    expect((await call(b, "GET", "/v1/sessions")).json.sessions).toEqual([]);
  });

  test("that a command has moved to is known to the others", async () => {
    const { a, b } = await pair();
    const id = await begin(a, { model: await workspace.script({ text: "Hello" }), readOnly: true });
    await prompt(a, id, "Hi");
    await command(a, id, { type: "new_session" });
    const second = (await call(a, "GET", "/v1/sessions")).json.sessions.find(({ live }: { live: boolean }) => live).id;
    expect(second).not.toBe(id);
    const moved = await until("the new session is stored", async () => {
      const answer = await call(b, "GET", `/v1/sessions/${second}`);
      return answer.status === 307 && answer;
    });
    expect(moved.headers.location).toBe(`${a.url}/v1/sessions/${second}`);
    // Nobody has the first one any more.
    expect((await command(b, id, { type: "get_state" })).data.messageCount).toBe(2);
    // And back to the one without a message.
    await command(a, second, { type: "clone" });
    expect((await command(a, second, { type: "switch_session", sessionPath: second })).success).toBe(true);
    await until("its options are kept", async () => a.store.readKept(second));
    expect(await a.store.readKept(second)).toMatchObject({ id: second, options: { readOnly: true } });
  });
});

describe("a session that was live in another server", () => {
  test("comes back with its options and what it had", async () => {
    const { memory, a, b } = await pair();
    const writing = { toolCalls: [{ name: "write", arguments: { path: "new.txt", content: "x" } }] };
    const model = await workspace.script(writing, { text: "I cannot." });
    const id = await begin(a, { model, readOnly: true });
    await prompt(a, id, "Write");
    await a.close();
    expect(a.store.isClosed).toBe(true);
    expect(memory.held.size).toBe(0);
    await prompt(b, id, "Write");
    const { messages } = (await command(b, id, { type: "get_messages" })).data;
    const roles = ["user", "assistant", "toolResult", "assistant"];
    expect(messages.map(({ role }: { role: string }) => role)).toEqual([...roles, ...roles]);
    expect([messages[2].isError, messages[6].isError]).toEqual([true, true]);
    expect(await describeOne(b, id)).toMatchObject({ live: true, interrupted: false });
  });

  test("comes back with the model that it has chosen since it was begun", async () => {
    const { a, b } = await pair();
    const id = await begin(a, { model: await workspace.script({ text: "Hello" }) });
    await prompt(a, id, "Hi");
    await command(a, id, { type: "set_model", provider: "demo", modelId: "tour" });
    await a.close();
    expect((await command(b, id, { type: "get_state" })).data.model).toMatchObject({ provider: "demo", id: "tour" });
  });

  test("that had no prompt comes back, too", async () => {
    const { a, b } = await pair();
    const id = await begin(a, { readOnly: true, name: "later" });
    await a.close();
    expect((await command(b, id, { type: "get_state" })).data).toMatchObject({ sessionId: id, messageCount: 0 });
    expect(await b.store.readKept(id)).toMatchObject({ options: { readOnly: true } });
  });

  test("is free when its server has died, and that one ends it when it comes back", async () => {
    const { a, b } = await pair();
    const id = await begin(a, { model: await workspace.script({ text: "Hello" }, { text: "Again" }) });
    await prompt(a, id, "Hi");
    const socket = await openSocket(a, id);
    a.store.expire();
    await prompt(b, id, "And here?");
    // The first server still has it in memory, and cannot write it.
    expect(await command(a, id, { type: "prompt", message: "Lost" })).toMatchObject({
      success: false,
      error: `The session ${id} is open elsewhere.`,
    });
    await socket.ended;
    await until("it is known to live in the other one", async () => (await call(a, "GET", `/v1/sessions/${id}`)).status === 307);
    expect(a.problems).toContain(`Another server has taken over the session ${id}. It ends here.`);
    const { messages } = (await command(b, id, { type: "get_messages" })).data;
    expect(messages.filter(({ role }: { role: string }) => role === "user")).toHaveLength(2);
  });

  test("is opened by one of many servers that are asked at once", async () => {
    const memory = new SharedMemory();
    const first = await startMember(memory);
    const id = await begin(first, { model: await workspace.script({ text: "Hello" }) });
    await prompt(first, id, "Hi");
    await first.close();
    const servers = await Promise.all(Array.from({ length: 4 }, () => startMember(memory)));
    const ask = (served: Served) => call(served, "POST", `/v1/sessions/${id}/commands`, { body: { type: "get_state" } });
    const answers = await Promise.all([...servers, ...servers].map(ask));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 307, 307, 307, 307, 307, 307]);
    const owner = servers.find((_, index) => answers[index]?.status === 200);
    for (const { status, headers } of answers) if (status === 307) expect(headers["pi-session-server"]).toBe(owner?.url);
  });

  test("is begun by one of two servers that are asked for the same new id at once", async () => {
    const { a, b } = await pair();
    const ask = (served: Served) =>
      call(served, "POST", "/v1/sessions", { body: { session: { id: "shop-42" }, readOnly: served === a } });
    const { list } = b.store;
    // When the second one looks, there is no such session; before it begins one, the first one does.
    b.store.list = async () => {
      b.store.list = list;
      expect((await ask(a)).status).toBe(201);
      return [];
    };
    const { status, headers } = await ask(b);
    expect([status, headers["pi-session-server"]]).toEqual([307, a.url]);
    expect(await a.store.readKept("shop-42")).toMatchObject({ options: { readOnly: true } });
  });

  test("that was left before its first message, and continued by another server, is not mixed with it", async () => {
    const { a, b } = await pair();
    const id = await begin(a, { model: await workspace.script({ text: "Hello" }) });
    await command(a, id, { type: "new_session" });
    await prompt(b, id, "Hi");
    await b.close();
    const { sessions } = (await call(a, "GET", "/v1/sessions")).json;
    const { id: second } = sessions.find(({ live }: { live: boolean }) => live);
    expect((await command(a, second, { type: "switch_session", sessionPath: id })).success).toBe(true);
    const count = await until("it is opened as the other server has left it", async () => {
      const answer = await call(a, "POST", `/v1/sessions/${id}/commands`, { body: { type: "get_state" } });
      return answer.json.data?.messageCount;
    });
    expect(count).toBe(2);
  });

  test("is not looked for at this server itself", async () => {
    const { a } = await pair();
    const id = await begin(a);
    await command(a, id, { type: "new_session" });
    // As if it were on its way to be live here.
    const { log } = a.store.open(id, () => undefined);
    const answer = await call(a, "GET", `/v1/sessions/${id}/events`);
    expect([answer.status, answer.json.error.code]).toEqual([409, "conflict"]);
    await log.close();
    expect((await command(a, id, { type: "get_state" })).data.sessionId).toBe(id);
  });

  test("may be taken in the moment between the question and the opening", async () => {
    const { memory, a, b } = await pair();
    const c = await startMember(memory);
    const id = await begin(a, { model: await workspace.script({ text: "Hello" }) });
    await prompt(a, id, "Hi");
    a.store.expire();
    const answersOf: (typeof b.store.holdersOf)[] = [
      async () => {
        await command(c, id, { type: "get_state" });
        return [undefined];
      },
    ];
    const { holdersOf } = b.store;
    b.store.holdersOf = (ids) => (answersOf.shift() ?? holdersOf.bind(b.store))(ids);
    const { status, headers } = await call(b, "GET", `/v1/sessions/${id}/events`);
    expect([status, headers["pi-session-server"]]).toEqual([307, c.url]);
  });
});

test("paths name no session of a store; ids do", async () => {
  const { a, b } = await pair();
  const id = await begin(a, { model: await workspace.script({ text: "Hello" }) });
  await prompt(a, id, "Hi");
  const open = (session: object) => call(b, "POST", "/v1/sessions", { body: { session } });
  expect(await open({ path: "/tmp/x.jsonl" })).toMatchObject({ status: 400, json: { error: { code: "bad_request" } } });
  const fork = await open({ fork: id });
  expect(fork).toMatchObject({ status: 201, json: { opened: "new", sessionFile: null } });
  expect((await command(b, fork.json.sessionId, { type: "get_state" })).data.messageCount).toBe(2);
  await a.close();
  expect(await open({ path: id })).toMatchObject({ status: 201, json: { opened: "stored", sessionId: id } });
});

test("sessions outside of the roots of a server do not exist for it", async () => {
  const memory = new SharedMemory();
  const other = join(workspace.root, "other");
  await mkdir(other);
  const a = await startMember(memory, { roots: [workspace.root] });
  const b = await startMember(memory);
  const ids = [
    await begin(a, { cwd: other }),
    await begin(a, { cwd: workspace.cwd }),
    await begin(a, { cwd: other }),
    await begin(a, { cwd: other }),
  ];
  await a.close();
  expect((await call(b, "GET", `/v1/sessions/${ids[0]}`)).status).toBe(404);
  const listed = (await call(b, "GET", "/v1/sessions?limit=1")).json.sessions;
  expect(listed.map(({ id }: { id: string }) => id)).toEqual([ids[1]]);
  const state = await command(b, ids[1] ?? "", { type: "switch_session", sessionPath: ids[0] });
  expect(state).toMatchObject({ success: false, error: expect.stringContaining("outside of the roots") });
});

test("a session that cannot be begun leaves nothing in the store", async () => {
  const { a } = await pair();
  expect((await call(a, "POST", "/v1/sessions", { body: { model: "no-such-model" } })).status).toBe(422);
  expect(await a.store.list()).toEqual([]);
});

test("a store that does not answer is no fault of the client, who may come back", async () => {
  const { a, b } = await pair();
  const id = await begin(a);
  await a.close();
  const { list } = b.store;
  b.store.list = () => Promise.reject(new SessionError("read_failed", "The database does not answer. Try again."));
  for (const path of ["/v1/sessions", `/v1/sessions/${id}`, `/v1/sessions/${id}/events`]) {
    const { status, json, headers } = await call(b, "GET", path);
    expect([status, json.error.code, headers["retry-after"]]).toEqual([503, "unavailable", "1"]);
    expect(json.error.message).toBe("The database does not answer. Try again.");
  }
  b.store.list = list;
  expect((await call(b, "GET", `/v1/sessions/${id}`)).status).toBe(200);
});
