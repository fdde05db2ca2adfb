import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { until } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { LiveSession } from "../../../../src/modes/serve/live/live-session.ts";
import { createGate, throughGate } from "../../../helpers/gate.ts";
import { LiveServer } from "../../../helpers/live-server.ts";
import { createScriptedSession } from "../../../helpers/sessions.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

async function createLive(
  script: Parameters<typeof createScriptedSession>[1],
  options: Parameters<typeof createScriptedSession>[2] = {},
) {
  const { session } = await createScriptedSession(workspace, script, { session: "memory", ...options, autoStart: false });
  const live = new LiveSession(session, { replayBytes: 1_000_000 });
  return { session, live, server: await new LiveServer(live).listen() };
}

const promptOf = (messages: readonly { role: string }[]) => messages.filter(({ role }) => role === "user").length;

describe("commands over a socket", () => {
  test("the response comes among the frames where it was given, and only to its sender", async () => {
    const { live, server } = await createLive([{ text: "Hello there." }]);
    const [sender, other] = [await server.connect(), await server.connect()];
    sender.send({ id: 1, type: "prompt", message: "Hello" });
    sender.send({ id: 2, type: "get_state" });
    await Promise.all([sender.first("agent_settled"), other.first("agent_settled")]);
    const state = await sender.ask({ id: 3, type: "get_state" });
    expect(state).toMatchObject({ success: true, data: { isStreaming: false, streamMode: "deltas", messageCount: 2 } });
    const types = sender.records.map(({ type }) => type);
    // The second command is answered before or after the run begins.
    expect(types.slice(0, 3)).toEqual(["ready", "resync", "response"]);
    expect(types.slice(3, 5)).toContain("agent_start");
    expect(other.records.filter(({ type }) => type === "response")).toEqual([]);
    const numbered = sender.records.flatMap(({ type, seq }) =>
      seq === undefined || type === "ready" || type === "resync" ? [] : [seq],
    );
    expect(numbered).toEqual(numbered.map((_, index) => index + 1));
    expect(other.position).toBe(sender.position);
    await live.dispose();
  });

  test("a command that is sent again over the next connection of its client runs once and gets the same response", async () => {
    const { live, session, server } = await createLive([{ text: "One." }, { text: "Two." }]);
    const client = await server.connect({ clientId: "c1" });
    const prompt = { id: "c1-1", type: "prompt", message: "Hello" };
    const first = await client.ask(prompt);
    const { position } = client;
    await client.cut();
    await session.waitForIdle();
    const again = await server.connect({ clientId: "c1", since: position });
    expect(await again.ask(prompt)).toEqual(first);
    expect(again.records.find(({ type }) => type === "resync")).toBeUndefined();
    expect(promptOf(session.messages)).toBe(1);
    // Another client may use the same id.
    const stranger = await server.connect({ clientId: "c2" });
    await stranger.ask(prompt);
    await session.waitForIdle();
    expect(promptOf(session.messages)).toBe(2);
    // The same id for something else is a mistake.
    expect(await again.ask({ ...prompt, message: "Other" })).toMatchObject({
      success: false,
      error: expect.stringContaining("another command"),
    });
    await live.dispose();
  });

  test("a command whose connection is cut before the response is answered over the next one, and not stopped", async () => {
    const gate = createGate();
    const { live, server } = await createLive([{ ...throughGate }, { text: "Done." }], { customTools: [gate.tool as never] });
    const client = await server.connect({ clientId: "c1" });
    const bash = { id: "c1-1", type: "bash", command: "touch started; while [ ! -e go ]; do sleep 0.01; done; echo whole" };
    client.send(bash);
    await until("the command runs", () => existsSync(join(workspace.cwd, "started")));
    await client.cut();
    expect(live.isIdle).toBe(false);
    const again = await server.connect({ clientId: "c1" });
    const answer = again.ask(bash);
    await workspace.write("work/go", "");
    expect(await answer).toMatchObject({ success: true, data: { output: expect.stringContaining("whole"), exitCode: 0 } });
    await live.dispose();
  });

  test("what is not a command is refused, and the connection goes on", async () => {
    const { live, server } = await createLive([]);
    const client = await server.connect({ clientId: "c" });
    const parse = client.next(({ command }) => command === "parse");
    client.socket.send("{");
    expect(await parse).toMatchObject({ success: false });
    const deep = client.next(({ command }) => command === "parse");
    client.socket.send(`{"id":1,"type":"prompt","message":${"[".repeat(200_000)}${"]".repeat(200_000)}}`);
    expect(await deep).toMatchObject({ success: false, error: expect.stringContaining("nested") });
    expect(await client.ask({ id: 1, type: "fly" })).toMatchObject({ success: false, error: "Unknown command: fly" });
    client.socket.send(Buffer.from([1, 2]));
    const [code] = (await once(client.socket, "close")) as [number];
    expect(code).toBe(1003);
    await live.dispose();
  });

  test("each socket has its own stream mode", async () => {
    const { live, server } = await createLive([{ text: "Hello there." }, { text: "Hello again." }]);
    const [snapshots, deltas] = [await server.connect({ stream: "snapshots" }), await server.connect()];
    await deltas.ask({ id: 1, type: "prompt", message: "Hello" });
    await Promise.all([snapshots.first("agent_settled"), deltas.first("agent_settled")]);
    const updates = (client: typeof deltas) => client.records.filter(({ type }) => type === "message_update");
    expect(updates(snapshots).length).toBeGreaterThan(0);
    expect(updates(snapshots).every(({ message }) => message !== undefined)).toBe(true);
    expect(updates(deltas).every(({ message }) => message === undefined)).toBe(true);
    expect(updates(snapshots).map(({ seq }) => seq)).toEqual(updates(deltas).map(({ seq }) => seq));
    expect(await deltas.ask({ id: 2, type: "set_stream_mode", mode: "snapshots" })).toMatchObject({ data: { mode: "snapshots" } });
    const before = updates(deltas).length;
    const settled = deltas.next(({ type }) => type === "agent_settled");
    deltas.send({ id: 3, type: "prompt", message: "Again" });
    await settled;
    expect(
      updates(deltas)
        .slice(before)
        .every(({ message }) => message !== undefined),
    ).toBe(true);
    await live.dispose();
  });
});

describe("commands over POST", () => {
  test("are answered with their position, and once for each key", async () => {
    const { live, session } = await createLive([{ text: "Hello there." }]);
    const record = { id: 5, type: "prompt", message: "Hello" };
    const [one, two] = await Promise.all([live.command(record, { key: "k" }), live.command(record, { key: "k" })]);
    expect(two).toEqual(one);
    expect(JSON.parse(String(one.response))).toEqual({ id: 5, type: "response", command: "prompt", success: true });
    expect(one.position).toBe(`${live.epoch}:0`);
    await session.waitForIdle();
    expect(promptOf(session.messages)).toBe(1);
    expect(() => live.command({ ...record, message: "Other" }, { key: "k" })).toThrow("another command");
    const mode = await live.command({ type: "set_stream_mode", mode: "snapshots" });
    expect(JSON.parse(String(mode.response))).toMatchObject({ success: false, error: expect.stringContaining("stream") });
    await live.dispose();
  });
});

describe("a question", () => {
  async function askTwo() {
    const { live, session, server } = await createLive([]);
    const [one, two] = [await server.connect(), await server.connect()];
    const asked = Promise.all([one.first("extension_ui_request"), two.first("extension_ui_request")]);
    const answer = session.user.confirm({ title: "Go?", message: "Now" });
    const [frame] = await asked;
    return { live, server, one, two, answer, frame };
  }

  test("goes to all clients; the first answer counts, and the others are told", async () => {
    const { live, one, two, answer, frame } = await askTwo();
    const told = two.first("extension_ui_response");
    one.send({ type: "extension_ui_response", id: frame.id, confirmed: true });
    expect(await answer).toBe(true);
    expect(await told).toMatchObject({ id: frame.id, confirmed: true, seq: Number(frame.seq) + 1 });
    two.send({ type: "extension_ui_response", id: frame.id, confirmed: false });
    expect(await two.ask({ id: 1, type: "get_state" })).toMatchObject({ success: true });
    expect(two.records.filter(({ type }) => type === "extension_ui_response").length).toBe(1);
    await live.dispose();
  });

  test("waits while nobody is there, and is asked again", async () => {
    const { live, server, one, two, answer, frame } = await askTwo();
    const { position } = one;
    await Promise.all([one.cut(), two.cut()]);
    await until("the server knows", () => live.watcherCount === 0);
    expect([live.isIdle, live.openQuestionCount]).toEqual([false, 1]);
    for (const since of [undefined, position]) {
      const client = await server.connect(since === undefined ? {} : { since });
      expect(await client.first("extension_ui_request")).toEqual({ ...frame, again: true });
    }
    // Whoever has not had it gets it as a frame, once.
    const late = await server.connect({ since: `${live.epoch}:0` });
    const answered = late.first("extension_ui_response");
    await live.command({ type: "extension_ui_response", id: frame.id, confirmed: true });
    expect(await answer).toBe(true);
    await answered;
    expect(late.records.filter(({ type }) => type === "extension_ui_request")).toEqual([frame]);
    await live.dispose();
  });

  test("is closed with its default, and told as cancelled, when the session ends", async () => {
    const { live, one, answer, frame } = await askTwo();
    const told = one.first("extension_ui_response");
    const closed = once(one.socket, "close");
    await live.dispose();
    expect(await answer).toBe(false);
    expect(await told).toMatchObject({ id: frame.id, cancelled: true });
    const [code] = (await closed) as [number];
    expect(code).toBe(1001);
  });
});

test("a call of a host tool goes to all clients; the first result counts, and the others are told to stop", async () => {
  const { live, session, server } = await createLive([{ toolCalls: [{ name: "weather", arguments: {} }] }, { text: "Cold." }]);
  const [one, two] = [await server.connect(), await server.connect()];
  await one.ask({
    id: 1,
    type: "set_host_tools",
    tools: [{ name: "weather", description: "Tells the weather.", parameters: { type: "object", properties: {} } }],
  });
  const calls = Promise.all([one.first("host_tool_call"), two.first("host_tool_call")]);
  await live.command({ type: "prompt", message: "Weather?" });
  const [call] = await calls;
  const cancel = two.first("host_tool_cancel");
  one.send({ type: "host_tool_result", id: call.id, result: { content: [{ type: "text", text: "7 °C" }] } });
  expect(await cancel).toMatchObject({ targetId: call.id });
  await session.waitForIdle();
  expect(session.lastAssistantText()).toBe("Cold.");
  await live.dispose();
});

test("a session that takes no new work lets what runs go on", async () => {
  const gate = createGate();
  const { live, session, server } = await createLive([{ ...throughGate }, { text: "Done." }], {
    customTools: [gate.tool as never],
  });
  const client = await server.connect({ clientId: "c" });
  await client.ask({ id: 1, type: "prompt", message: "Go" });
  await gate.reached;
  live.takeNoWork();
  expect(await client.ask({ id: 2, type: "steer", message: "More" })).toMatchObject({
    success: false,
    error: expect.stringContaining("no new work"),
  });
  expect(await client.ask({ id: 3, type: "get_state" })).toMatchObject({ success: true, data: { isStreaming: true } });
  gate.open();
  await session.waitForIdle();
  expect(session.lastAssistantText()).toBe("Done.");
  await live.dispose();
});

test("a client that does not read holds up nobody, costs the ring, and is told what it has missed", async () => {
  const words = Array.from({ length: 3000 }, (_, index) => `word ${index} ${"x".repeat(400)}\n`);
  const { session } = await createScriptedSession(workspace, [{ text: words.join(""), deltas: words }], {
    session: "memory",
    autoStart: false,
  });
  const live = new LiveSession(session, { replayBytes: 100_000 });
  const server = await new LiveServer(live).listen();
  const [slow, quick] = [await server.connect(), await server.connect()];
  slow.socket.pause();
  const settled = quick.first("agent_settled");
  await quick.ask({ id: 1, type: "prompt", message: "Write" });
  await settled;
  expect(live.ring.last - live.ring.first).toBeLessThan(3000);
  const told = slow.next(({ reason }) => reason === "overrun");
  slow.socket.resume();
  expect(await told).toMatchObject({ state: { isStreaming: false, messageCount: 2 } });
  expect(slow.position).toBe(quick.position);
  expect(quick.records.filter(({ type }) => type === "resync").map(({ reason }) => reason)).toEqual(["start"]);
  await live.dispose();
});

test("a session is idle when nobody watches and nothing is under way", async () => {
  const gate = createGate();
  const { live, session, server } = await createLive([{ ...throughGate }, { text: "Done." }], {
    customTools: [gate.tool as never],
  });
  const seen: boolean[] = [];
  live.onChange = () => void seen.push(live.isIdle);
  expect(live.isIdle).toBe(true);
  const client = await server.connect();
  expect(live.isIdle).toBe(false);
  await client.ask({ id: 1, type: "prompt", message: "Go" });
  await gate.reached;
  await client.cut();
  await until("the server knows", () => live.watcherCount === 0);
  expect(live.isIdle).toBe(false);
  gate.open();
  await session.waitForIdle();
  await until("the end was told", () => seen.at(-1) === true);
  expect(live.isIdle).toBe(true);
  await live.dispose();
});
