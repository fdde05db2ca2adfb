import { until } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { begin, call, command, openEvents, type Served } from "../../../coding-agent/test/helpers/http-client.ts";
import { type ServeProcess, startServe } from "../../../coding-agent/test/helpers/serve.ts";
import { RpcClient } from "../../../rpc-client/src/index.ts";
import { useMachine } from "../cli/helpers.ts";
import { startServer } from "../helpers/server.ts";

const machine = useMachine();

/** Starts `pi serve` on the database. All have the same token file. */
function serve(args: readonly string[] = [], address = machine.address): Promise<ServeProcess> {
  return startServe(machine.workspace, args, { env: { PI_SESSION_STORE: address } });
}

/** A command that waits for the file `go`. */
const waiting = { text: "I wait.", toolCalls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.02; done" } }] };

/** Sends a prompt and waits for the end of its run. */
async function prompt(served: Served, id: string, message: string): Promise<void> {
  const events = await openEvents(served, id);
  await command(served, id, { type: "prompt", message });
  await events.waitFor({ type: "agent_settled" });
  events.close();
}

async function rolesOf(served: Served, id: string): Promise<string[]> {
  const { messages } = (await command(served, id, { type: "get_messages" })).data;
  return messages.map(({ role }: { role: string }) => role);
}

test("a session is live in one server; the death of that server frees it, with its options", async () => {
  const [a, b] = await Promise.all([serve(), serve()]);
  const model = await machine.workspace.script(waiting, { text: "Done." });
  const id = await begin(a, { model, readOnly: true, tools: ["read", "bash"], approval: "never-ask" });
  const path = `/v1/sessions/${id}`;
  const moved = await call(b, "GET", path);
  expect([moved.status, moved.headers.location]).toEqual([307, `${a.url}${path}`]);
  await prompt(a, id, "Wait");
  expect((await call(b, "GET", "/v1/sessions")).json.sessions).toMatchObject([
    { id, firstPrompt: "Wait", live: false, interrupted: false, server: a.url },
  ]);
  a.child.kill("SIGKILL");
  await a.exited;
  const state = await until("the other server may open it", async () => {
    const answer = await call(b, "POST", `${path}/commands`, { body: { type: "get_state" } });
    return answer.status === 200 && answer.json.data;
  });
  expect(state).toMatchObject({ sessionId: id, messageCount: 4 });
  expect((await call(b, "GET", path)).json).toMatchObject({ live: true, firstPrompt: "Wait", interrupted: false });
  await prompt(b, id, "Again");
  const { messages } = (await command(b, id, { type: "get_messages" })).data;
  // It is read-only there, too.
  expect(messages.filter(({ isError }: { isError?: boolean }) => isError === true)).toHaveLength(2);
});

test("a run that dies with its server is interrupted, and another server continues it", async () => {
  const [a, b] = await Promise.all([serve(), serve()]);
  const id = await begin(a, { model: await machine.workspace.script(waiting, { text: "Done." }) });
  const events = await openEvents(a, id);
  await command(a, id, { type: "prompt", message: "Wait" });
  await events.waitFor({ type: "tool_execution_start" });
  expect((await call(b, "GET", "/v1/sessions")).json.sessions).toMatchObject([{ id, interrupted: false, server: a.url }]);
  a.child.kill("SIGKILL");
  await a.exited;
  const [session] = await until("nobody has it", async () => {
    const { sessions } = (await call(b, "GET", "/v1/sessions")).json;
    return sessions[0]?.server === undefined && sessions;
  });
  expect(session).toMatchObject({ id, live: false, interrupted: true, firstPrompt: "Wait" });
  await machine.workspace.write("work/go", "");
  await prompt(b, id, "Go on");
  expect(await rolesOf(b, id)).toContain("toolResult");
});

test("a server that ends orderly lets its run end, and frees its sessions", async () => {
  const [a, b] = await Promise.all([serve(), serve()]);
  const id = await begin(a, { model: await machine.workspace.script(waiting, { text: "Done." }) });
  const events = await openEvents(a, id);
  await command(a, id, { type: "prompt", message: "Wait" });
  await events.waitFor({ type: "tool_execution_start" });
  a.child.kill("SIGTERM");
  await until("it drains", async () => (await call(a, "GET", "/ready")).json.status === "draining");
  // It still answers for its session.
  expect((await call(b, "GET", `/v1/sessions/${id}`)).headers["pi-session-server"]).toBe(a.url);
  await machine.workspace.write("work/go", "");
  expect(await a.exited).toBe(0);
  expect(a.stderr()).toBe("");
  expect((await command(b, id, { type: "get_state" })).data).toMatchObject({ messageCount: 4, isStreaming: false });
  expect((await call(b, "GET", `/v1/sessions/${id}`)).json).toMatchObject({ live: true, interrupted: false });
});

test("a client of one server works with a session of another one, and stays with it when that server dies", async () => {
  const [a, b] = await Promise.all([serve(), serve()]);
  const id = await begin(a, { model: await machine.workspace.script({ text: "Hello" }, { text: "Again" }) });
  const client = await RpcClient.connect(b.url, { token: b.token, sessionId: id, reconnectDelayMs: 10 });
  try {
    await client.promptAndWait("Hi");
    expect((await call(a, "GET", `/v1/sessions/${id}`)).json).toMatchObject({ live: true });
    const resynced = new Promise<void>((resolve) => {
      client.onEvent((event) => void (event.type === "resync" && event.reason === "epoch" && resolve()));
    });
    a.child.kill("SIGKILL");
    await resynced;
    await client.promptAndWait("Are you there?");
    expect((await client.getMessages()).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect((await call(b, "GET", `/v1/sessions/${id}`)).json).toMatchObject({ live: true });
  } finally {
    await client.stop();
  }
});

test("a server that forwards serves sessions of others to clients that follow nothing", async () => {
  const [a, b] = await Promise.all([serve(), serve(["--forward"])]);
  const id = await begin(a, { model: await machine.workspace.script({ text: "Hello" }) });
  await prompt(b, id, "Hi");
  expect(await rolesOf(b, id)).toEqual(["user", "assistant"]);
  expect((await call(b, "GET", `/v1/sessions/${id}`)).json).toEqual((await call(a, "GET", `/v1/sessions/${id}`)).json);
});

test("a server whose database is away is alive, not ready, and continues when the database is back", async () => {
  const database = await startServer();
  try {
    const server = await serve([], database.url());
    const id = await begin(server, { model: await machine.workspace.script({ text: "Hello" }, { text: "Again" }) });
    await prompt(server, id, "Hi");
    expect((await call(server, "GET", "/ready")).status).toBe(200);
    await database.stop();
    await until("it is not ready", async () => (await call(server, "GET", "/ready")).json.status === "store_unavailable");
    expect((await call(server, "GET", "/health")).status).toBe(200);
    await database.start();
    await until("it is ready again", async () => (await call(server, "GET", "/ready")).status === 200);
    await prompt(server, id, "Still there?");
    expect(await rolesOf(server, id)).toEqual(["user", "assistant", "user", "assistant"]);
    server.child.kill("SIGTERM");
    expect(await server.exited).toBe(0);
  } finally {
    await database.remove();
  }
});

test.each([
  [["--announce", "http://127.0.0.1:1", "--session-dir", "x"], 2, /^--announce and --forward are for servers that share a store/],
  [["--session-store", "postgres://localhost/x", "--session-dir", "x"], 2, /^--session-store and --session-dir exclude each other/],
  [["--announce", "somewhere"], 2, /^--announce must be the address of this server/],
  [["--session-store", "mysql://localhost/x"], 2, /^"mysql:\/\/localhost\/x" is no address of a session store/],
])("pi serve %j ends with exit code %i and one line", async (args, exitCode, problem) => {
  const result = await machine.pi(["serve", "--port", "0", ...args]);
  expect(result).toMatchObject({ exitCode, stdout: "" });
  expect(result.stderr).toMatch(problem);
});
