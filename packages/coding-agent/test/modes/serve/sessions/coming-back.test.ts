import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { until } from "@pikit/test-kit";
import { holdClock } from "@pikit/test-kit/clock";
import { describe, expect, test } from "vitest";
import { keptFileOf } from "../../../../src/modes/serve/sessions/kept-options.ts";
import { begin, call, command, openEvents, type Served } from "../../../helpers/http-client.ts";
import { startTestServer } from "../../../helpers/serve.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();
const minute = 60_000;

const writing = { toolCalls: [{ name: "write", arguments: { path: "new.txt", content: "x" } }] };

/** Sends a prompt and waits for the end of its run, without watching the session. When it resolves, the session is idle. */
async function prompt(served: Served, id: string, message: string): Promise<void> {
  await command(served, id, { type: "prompt", message });
  await until("the run has ended", async () => (await describeOne(served, id)).streaming === false);
  await command(served, id, { type: "get_state" });
}

async function describeOne(served: Served, id: string) {
  return (await call(served, "GET", `/v1/sessions/${id}`)).json;
}

/** Resolves when the server has closed a session. */
function untilClosed(served: Served, id: string): Promise<unknown> {
  return until("the session is not live", async () => (await describeOne(served, id)).live === false);
}

/** Whether a session refuses to write, as it must. */
async function isReadOnly(served: Served, id: string): Promise<boolean> {
  await prompt(served, id, "Write");
  expect(await readdir(workspace.cwd)).toEqual([]);
  const { messages } = (await command(served, id, { type: "get_messages" })).data;
  return messages.some((message: { role: string; isError?: boolean }) => message.role === "toolResult" && message.isError);
}

describe("a session that is idle", () => {
  test("is closed after the time of the settings, and comes back under the same id with all it had", async () => {
    const clock = holdClock();
    const server = await startTestServer(workspace, { limits: { idleMinutes: 30 } });
    const model = await workspace.script({ text: "Hello" }, { text: "Again" });
    const id = await begin(server, { model });
    await prompt(server, id, "Hi");
    clock.pass(29 * minute);
    expect((await describeOne(server, id)).live).toBe(true);
    // A request begins the time anew.
    await command(server, id, { type: "get_state" });
    clock.pass(29 * minute);
    expect((await describeOne(server, id)).live).toBe(true);
    clock.pass(minute);
    clock.release();
    await untilClosed(server, id);
    const state = (await command(server, id, { type: "get_state" })).data;
    expect(state).toMatchObject({ sessionId: id, messageCount: 2 });
    expect((await describeOne(server, id)).live).toBe(true);
  });

  test("stays while a client watches, and for ever with 0 minutes", async () => {
    const clock = holdClock();
    const server = await startTestServer(workspace, { limits: { idleMinutes: 1 } });
    const forever = await startTestServer(workspace, { limits: { idleMinutes: 0 } });
    const [watched, kept] = [await begin(server), await begin(forever)];
    const events = await openEvents(server, watched);
    clock.pass(100 * minute);
    expect([(await describeOne(server, watched)).live, (await describeOne(forever, kept)).live]).toEqual([true, true]);
    events.close();
    await events.ended;
    await until("the session is not live", async () => {
      clock.pass(minute);
      return (await describeOne(server, watched)).live === false;
    });
  });

  test("makes room for another one when there are too many", async () => {
    const server = await startTestServer(workspace, { limits: { maxSessions: 2 } });
    const ids = [await begin(server), await begin(server), await begin(server)];
    const live = await Promise.all(ids.map(async (id) => (await describeOne(server, id)).live));
    expect(live).toEqual([false, true, true]);
  });

  test("and was never prompted comes back with its id and its options, under one name", async () => {
    const first = await startTestServer(workspace);
    const id = await begin(first, { model: await workspace.script(writing, { text: "No" }), readOnly: true });
    await first.close();
    const second = await startTestServer(workspace);
    expect((await call(second, "GET", "/v1/sessions")).json.sessions).toEqual([]);
    expect(await describeOne(second, id)).toMatchObject({ id, live: false, cwd: workspace.cwd });
    expect(await isReadOnly(second, id)).toBe(true);
    const [folder = ""] = await readdir(join(workspace.agentDir, "sessions"));
    const names = await readdir(join(workspace.agentDir, "sessions", folder));
    expect(names.filter((name) => name.endsWith(".serve.json")).length).toBe(1);
  });
});

describe("the options of a session", () => {
  test.each(["after it was idle", "after a restart of the server"])("hold %s", async (how) => {
    const isRestart = how.includes("restart");
    const clock = holdClock();
    const server = await startTestServer(workspace);
    const model = await workspace.script({ text: "First" });
    const id = await begin(server, { model, readOnly: true, approval: "always", systemPrompt: "Be brief." });
    await prompt(server, id, "Hi");
    if (isRestart) await server.close();
    else clock.pass(31 * minute);
    clock.release();
    const later = isRestart ? await startTestServer(workspace) : server;
    await untilClosed(later, id);
    await workspace.script(writing, { text: "No" });
    expect(await isReadOnly(later, id)).toBe(true);
  });

  test("a request adds to them and replaces single ones, and a live session takes none", async () => {
    const server = await startTestServer(workspace);
    const id = await begin(server, { model: await workspace.script({ text: "A" }), readOnly: true });
    await prompt(server, id, "Hi");
    const { sessionFile } = (await command(server, id, { type: "get_state" })).data;
    const body = { session: { id }, approval: "always" };
    expect((await call(server, "POST", "/v1/sessions", { body })).status).toBe(409);
    await server.close();
    const second = await startTestServer(workspace);
    expect((await call(second, "POST", "/v1/sessions", { body })).json).toMatchObject({ opened: "stored", sessionId: id });
    const kept = () => readFile(keptFileOf(sessionFile), "utf8").then((text) => JSON.parse(text).options);
    // The model is in the session itself.
    expect(await kept()).toEqual({ readOnly: true, approval: "always" });
    await second.close();
    const third = await startTestServer(workspace);
    await call(third, "POST", "/v1/sessions", { body: { session: { id }, readOnly: false } });
    expect(await kept()).toEqual({ readOnly: false, approval: "always" });
  });

  test("a model that was chosen later is not replaced by that of the request", async () => {
    const server = await startTestServer(workspace);
    const model = await workspace.script({ text: "A" }, { text: "B" });
    const id = await begin(server, { model });
    await prompt(server, id, "Hi");
    await command(server, id, { type: "set_model", provider: "demo", modelId: "tour" });
    await server.close();
    const second = await startTestServer(workspace);
    expect((await command(second, id, { type: "get_state" })).data.model.id).toBe("tour");
  });

  test("follow a session to a new one, and forbid to reach a session that has others", async () => {
    const server = await startTestServer(workspace);
    const strict = await begin(server, { model: await workspace.script({ text: "A" }), readOnly: true });
    await prompt(server, strict, "Hi");
    const { sessionFile } = (await command(server, strict, { type: "get_state" })).data;
    await command(server, strict, { type: "new_session" });
    const [moved] = (await call(server, "GET", "/v1/sessions")).json.sessions;
    expect(moved).toMatchObject({ live: true });
    expect(moved.id).not.toBe(strict);
    expect((await describeOne(server, strict)).live).toBe(false);
    await server.close();
    const second = await startTestServer(workspace);
    await workspace.script(writing, { text: "No" });
    expect(await isReadOnly(second, moved.id)).toBe(true);
    const free = await begin(second, {});
    expect(await command(second, free, { type: "switch_session", sessionPath: sessionFile })).toMatchObject({
      success: false,
      error: expect.stringContaining("has options of its own"),
    });
  });

  test("are removed 30 days after a session that never had a message, and not before", async () => {
    const first = await startTestServer(workspace);
    const ids = [await begin(first), await begin(first), await begin(first, { name: "named" })];
    const { sessionFile } = (await command(first, ids[2] ?? "", { type: "get_state" })).data;
    await first.close();
    const folder = dirname(sessionFile);
    const fileOf = async (id = "") =>
      join(folder, (await readdir(folder)).find((name) => name.endsWith(`${id}.serve.json`)) ?? "none");
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * minute);
    const [old, young, stored] = [await fileOf(ids[0]), await fileOf(ids[1]), await fileOf(ids[2])];
    await utimes(old, daysAgo(31), daysAgo(31));
    await utimes(young, daysAgo(29), daysAgo(29));
    await utimes(stored, daysAgo(31), daysAgo(31));
    await begin(await startTestServer(workspace));
    await until("the old one is gone", async () => !(await readdir(folder)).includes(basename(old)));
    expect(await readdir(folder)).toEqual(expect.arrayContaining([basename(young), basename(stored)]));
  });

  test("that cannot be read keep the session closed", async () => {
    const server = await startTestServer(workspace);
    const id = await begin(server, { model: await workspace.script({ text: "A" }), readOnly: true });
    await prompt(server, id, "Hi");
    const { sessionFile } = (await command(server, id, { type: "get_state" })).data;
    await server.close();
    const second = await startTestServer(workspace);
    for (const content of [
      "{",
      "[]",
      '{"id":"x"}',
      JSON.stringify({ id, cwd: "/", createdAt: "", options: { readOnly: "yes" } }),
    ]) {
      await writeFile(keptFileOf(sessionFile), content);
      const answer = await call(second, "POST", `/v1/sessions/${id}/commands`, { body: { type: "get_state" } });
      expect([answer.status, answer.json.error.code]).toEqual([422, "cannot_open"]);
      expect(answer.json.error.message).toContain(keptFileOf(sessionFile));
    }
  });
});
