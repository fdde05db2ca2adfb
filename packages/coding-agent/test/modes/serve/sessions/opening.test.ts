import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { begin, call, command, openEvents, openSocket, type Served } from "../../../helpers/http-client.ts";
import { startRpc } from "../../../helpers/rpc-process.ts";
import { startTestServer } from "../../../helpers/serve.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

async function open(served: Served, body: object) {
  const { status, json } = await call(served, "POST", "/v1/sessions", { body });
  return { status, ...json };
}

/** A stored session with one prompt; its id and file. */
async function store(served: Served, options: object = {}): Promise<{ id: string; file: string }> {
  const model = await workspace.script({ text: "Hello" }, { text: "Again" });
  const id = await begin(served, { model, ...options });
  const events = await openEvents(served, id);
  await command(served, id, { type: "prompt", message: "Hi" });
  await events.waitFor({ type: "agent_settled" });
  events.close();
  return { id, file: (await command(served, id, { type: "get_state" })).data.sessionFile };
}

test("many requests for one stored session open it once", async () => {
  const first = await startTestServer(workspace);
  const { id, file } = await store(first);
  await first.close();
  const server = await startTestServer(workspace);
  const answers = await Promise.all([
    ...Array.from({ length: 5 }, () => call(server, "POST", `/v1/sessions/${id}/commands`, { body: { type: "get_state" } })),
    ...Array.from({ length: 5 }, () => call(server, "POST", "/v1/sessions", { body: { session: { path: file } } })),
  ]);
  expect(answers.map(({ status }) => status < 300)).toEqual(Array.from({ length: 10 }, () => true));
  const epochs = answers.slice(0, 5).map(({ headers }) => String(headers["pi-position"]).split(":")[0]);
  expect(new Set(epochs).size).toBe(1);
});

test("many requests that begin a session with one id begin it once", async () => {
  const server = await startTestServer(workspace);
  const answers = await Promise.all(Array.from({ length: 6 }, () => open(server, { session: { id: "shop-42" } })));
  expect(answers.map(({ status, opened }) => `${status} ${opened}`).sort()).toEqual([
    ...Array.from({ length: 5 }, () => "200 live"),
    "201 new",
  ]);
  expect(new Set(answers.map(({ sessionId }) => sessionId))).toEqual(new Set(["shop-42"]));
});

describe("the choice of a session", () => {
  test("each kind finds what it says", async () => {
    const first = await startTestServer(workspace);
    const { id, file } = await store(first);
    await first.close();
    for (const session of ["continue", { path: file }, { idPrefix: id.slice(0, 12) }, { id }] as const) {
      const server = await startTestServer(workspace);
      expect(await open(server, { session })).toMatchObject({ status: 201, opened: "stored", sessionId: id, sessionFile: file });
      expect(await open(server, { session })).toMatchObject({ status: 200, opened: "live", sessionId: id });
      await server.close();
    }
    const server = await startTestServer(workspace);
    for (const fork of [file, id]) {
      const forked = await open(server, { session: { fork } });
      expect(forked).toMatchObject({ status: 201, opened: "new" });
      expect(forked.sessionId).not.toBe(id);
      expect((await call(server, "GET", `/v1/sessions/${forked.sessionId}`)).json.parentSession).toBe(file);
    }
    expect(await open(server, { session: "memory" })).toMatchObject({ status: 201, sessionFile: null, opened: "new" });
  });

  test("an id is found in every folder within the roots, and belongs to its folder", async () => {
    const [one, two] = [join(workspace.cwd, "one"), join(workspace.cwd, "two")];
    await Promise.all([mkdir(one), mkdir(two)]);
    const server = await startTestServer(workspace);
    const { id } = await store(server, { cwd: one });
    await server.close();
    const second = await startTestServer(workspace);
    expect(await open(second, { session: { id }, cwd: two })).toMatchObject({ status: 409 });
    expect(await open(second, { session: { id } })).toMatchObject({ status: 201, cwd: one, sessionId: id });
  });

  test.each([
    [{ id: "../x" }, 400],
    [{ id: "a b" }, 400],
    [{ path: "relative.jsonl" }, 400],
    [{ path: "/no/such/file.jsonl" }, 422],
    [{ path: "/etc/passwd" }, 422],
    [{ fork: "/no/such/file.jsonl" }, 422],
    [{ fork: "none" }, 422],
    [{ path: "/x", id: "y" }, 400],
    ["latest", 400],
    [7, 400],
  ])("%j is refused with %i", async (session, status) => {
    const server = await startTestServer(workspace);
    expect((await open(server, { session })).status).toBe(status);
  });

  test("with --session-dir only that folder counts", async () => {
    const elsewhere = await startTestServer(workspace);
    await store(elsewhere);
    const sessionDir = join(workspace.root, "own");
    const server = await startTestServer(workspace, { sessionDir });
    expect((await call(server, "GET", "/v1/sessions")).json.sessions).toEqual([]);
    const { id, file } = await store(server);
    expect(file.startsWith(sessionDir)).toBe(true);
    expect((await call(server, "GET", "/v1/sessions")).json.sessions).toMatchObject([{ id }]);
  });
});

test("a session that another process writes is a conflict, with the words of the SDK, until it ends", async () => {
  const server = await startTestServer(workspace);
  const rpc = startRpc(workspace, ["--model", "demo/tour"]);
  await rpc.promptAndWait("Hi");
  const { sessionId, sessionFile } = await rpc.state();
  const refused = await call(server, "POST", `/v1/sessions/${sessionId}/commands`, { body: { type: "get_state" } });
  expect([refused.status, refused.json.error.code]).toEqual([409, "conflict"]);
  expect(refused.json.error.message).toContain(`The session file ${sessionFile} is being written by`);
  expect(await open(server, { session: { path: sessionFile } })).toMatchObject({ status: 409 });
  expect((await call(server, "GET", `/v1/sessions/${sessionId}`)).json).toMatchObject({ live: false, firstPrompt: "Hi" });
  await rpc.end();
  expect(await open(server, { session: { path: sessionFile } })).toMatchObject({ status: 201, opened: "stored" });
});

test("a move takes the live session and its sockets to another id; its old epoch still finds it", async () => {
  const server = await startTestServer(workspace);
  const { id } = await store(server);
  const { socket, frames, waitFor } = await openSocket(server, id);
  const { epoch } = await waitFor({ type: "ready" });
  socket.send(JSON.stringify({ type: "new_session", id: "m" }));
  await waitFor({ type: "response", id: "m" });
  socket.send(JSON.stringify({ type: "get_state", id: "s" }));
  const { sessionId } = (await waitFor({ type: "response", id: "s" })).data as { sessionId: string };
  expect(sessionId).not.toBe(id);
  expect((await call(server, "GET", `/v1/sessions/${sessionId}`)).json.live).toBe(true);
  const back = await openEvents(server, id, `?since=${epoch}:0`);
  await back.waitFor({ type: "ready" });
  expect(back.frames[0]).toMatchObject({ type: "ready", epoch });
  // Without the epoch the old id is the stored session.
  const stored = await openEvents(server, id);
  expect((await stored.waitFor({ type: "ready" })).epoch).not.toBe(epoch);
  expect(frames.some(({ type }) => type === "error")).toBe(false);
});

test("the list has the latest first, up to its limit, live ones with their state, and passes over what is not a session", async () => {
  const server = await startTestServer(workspace);
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1) ids.push((await store(server, { name: `n${index}` })).id);
  const { file } = await store(server);
  await writeFile(`${file.slice(0, -6)}-other.jsonl`, "not a session\n");
  const { sessions } = (await call(server, "GET", "/v1/sessions?limit=3")).json;
  expect(sessions.map(({ name }: { name?: string }) => name)).toEqual([undefined, "n2", "n1"]);
  expect(sessions[1]).toEqual({
    id: ids[2],
    name: "n2",
    firstPrompt: "Hi",
    cwd: workspace.cwd,
    createdAt: expect.stringMatching(/^\d{4}-/),
    modifiedAt: expect.stringMatching(/^\d{4}-/),
    live: true,
    streaming: false,
    waiting: 0,
    interrupted: false,
  });
  expect((await call(server, "GET", "/v1/sessions")).json.sessions.length).toBe(4);
});
