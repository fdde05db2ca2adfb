import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { EntryTreeNode } from "../../../src/protocol/entries.ts";
import { runCli } from "../../helpers/cli.ts";
import { serveHere } from "../../helpers/rpc-here.ts";
import { type RpcConnection, startRpc } from "../../helpers/rpc-process.ts";
import { readLines, rolesIn, type SessionLine, useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

const texts = (...all: string[]) => all.map((text) => ({ text }));
const gated = { toolCalls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.02; done" } }] };

interface Point {
  entryIndex: number;
  entryId: string;
  text: string;
}

async function start(...answers: Parameters<typeof workspace.script>): Promise<RpcConnection> {
  return serveHere(workspace, { model: await workspace.script(...answers) });
}

async function points(rpc: RpcConnection): Promise<Point[]> {
  return (await rpc.ask({ type: "get_branch_messages" })).messages as Point[];
}

async function entries(rpc: RpcConnection, options: object = {}): Promise<SessionLine[]> {
  return (await rpc.ask({ type: "get_entries", ...options })).entries as SessionLine[];
}

async function contents(rpc: RpcConnection): Promise<unknown[]> {
  const { messages } = await rpc.ask({ type: "get_messages" });
  return (messages as { content: unknown }[]).map(({ content }) => (Array.isArray(content) ? content[0].text : content));
}

/** Two prompts with their answers. */
async function startTwoPrompts(...more: Parameters<typeof workspace.script>): Promise<{ rpc: RpcConnection; said: Point[] }> {
  const rpc = await start(...texts("A", "B"), ...more);
  await rpc.promptAndWait("one");
  await rpc.promptAndWait("two");
  return { rpc, said: await points(rpc) };
}

describe("branch", () => {
  test("get_branch_messages names the user's messages of the active path by id and by their place in get_messages", async () => {
    const { rpc, said } = await startTwoPrompts(...texts("C", "D"));
    expect(said.map(({ entryIndex, text }) => [entryIndex, text])).toEqual([
      [0, "one"],
      [2, "two"],
    ]);
    const all = await entries(rpc);
    for (const { entryId, text } of said) expect(all.find(({ id }) => id === entryId)?.message?.content).toBe(text);
    const { messages } = await rpc.ask({ type: "get_fork_messages" });
    expect(messages).toEqual(said.map(({ entryId, text }) => ({ entryId, text })));
    // Another branch counts from its own beginning, and every message counts.
    await rpc.ask({ type: "branch", entryIndex: 2 });
    await rpc.ask({ type: "bash", command: "echo here" });
    await rpc.promptAndWait("three");
    const here = await points(rpc);
    expect(here.map(({ entryIndex, text }) => [entryIndex, text])).toEqual([
      [0, "one"],
      [3, "three"],
    ]);
    for (const { entryIndex, text } of here) expect((await contents(rpc))[entryIndex]).toBe(text);
  });

  test.each(["entryIndex", "entryId"] as const)(
    "SE-011 by %s goes to the message's parent and returns its text; the next entry stores the move, in the same file",
    async (key) => {
      const { rpc, said } = await startTwoPrompts(...texts("C"));
      const before = await rpc.state();
      const stored = await readFile(String(before.sessionFile), "utf8");
      const response = await rpc.request({ type: "branch", [key]: said[1]?.[key] });
      expect(response).toMatchObject({ command: "branch", success: true, data: { text: "two", cancelled: false } });
      expect(await contents(rpc)).toEqual(["one", "A"]);
      expect(await rpc.state()).toMatchObject({ messageCount: 2, sessionFile: before.sessionFile, sessionId: before.sessionId });
      expect(await readFile(String(before.sessionFile), "utf8")).toBe(stored);
      await rpc.promptAndWait("three");
      expect(await contents(rpc)).toEqual(["one", "A", "three", "C"]);
      expect((await points(rpc)).map(({ text }) => text)).toEqual(["one", "three"]);
      const lines = await readLines(String(before.sessionFile));
      const three = lines.find(({ message }) => message?.content === "three");
      const answer = lines.find(({ message }) => message?.role === "assistant");
      expect(three?.parentId).toBe(answer?.id);
      await rpc.end();
      const again = startRpc(workspace, ["--continue"]);
      expect(await contents(again)).toEqual(["one", "A", "three", "C"]);
    },
  );

  test("to the first message begins anew, and what was said stays in get_entries", async () => {
    const { rpc, said } = await startTwoPrompts(...texts("C"));
    expect(await rpc.ask({ type: "branch", entryId: said[0]?.entryId })).toEqual({ text: "one", cancelled: false });
    expect(await contents(rpc)).toEqual([]);
    expect(await points(rpc)).toEqual([]);
    expect(rolesIn(await entries(rpc))).toEqual(["user", "assistant", "user", "assistant"]);
    await rpc.promptAndWait("three");
    const { tree } = await rpc.ask({ type: "get_tree" });
    const firstUsers = (tree as EntryTreeNode[]).flatMap(userMessagesBelow);
    expect(firstUsers).toEqual(["one", "two", "three"]);
  });

  test("the text is the prompt as it was typed, without its documents", async () => {
    const rpc = await start(...texts("A"));
    const attachment = { id: "1", type: "document", fileName: "n.txt", mimeType: "text/plain", size: 2, content: "aGk=" };
    rpc.send({ type: "prompt", message: "Read this", attachments: [attachment] });
    await rpc.waitFor({ type: "agent_settled" });
    const [said] = await points(rpc);
    expect(said?.text).toBe("Read this");
    expect(await rpc.ask({ type: "branch", entryId: said?.entryId })).toMatchObject({ text: "Read this" });
  });

  test("what is no user's message of the active path is refused, and nothing moves", async () => {
    const { rpc, said } = await startTwoPrompts(...texts("C"));
    const answer = (await entries(rpc)).find(({ message }) => message?.role === "assistant");
    await rpc.ask({ type: "branch", entryId: said[1]?.entryId });
    await rpc.promptAndWait("three");
    const before = [await rpc.state(), await rpc.ask({ type: "get_entries" })];
    const refusals: [object, RegExp][] = [
      [{}, /either "entryIndex" or "entryId"/],
      [{ entryIndex: null, entryId: null }, /either "entryIndex" or "entryId"/],
      [{ entryIndex: 2, entryId: said[0]?.entryId }, /either "entryIndex" or "entryId"/],
      [{ entryId: "ffffffff" }, /"ffffffff" is not a user message on the active path/],
      [{ entryId: answer?.id }, /is not a user message/],
      [{ entryId: said[1]?.entryId }, /on the active path/],
      [{ entryIndex: 1 }, /Message 1 is not a user message on the active path/],
      [{ entryIndex: 9999 }, /Message 9999 is not a user message/],
      [{ entryIndex: -1 }, /"entryIndex"/],
      [{ entryIndex: 1.5 }, /"entryIndex" must be an integer/],
      [{ entryId: 5 }, /"entryId" must be a string/],
    ];
    for (const [fields, error] of refusals) {
      const response = await rpc.request({ type: "branch", ...fields });
      expect(response).toMatchObject({ command: "branch", success: false, error: expect.stringMatching(error) });
    }
    expect([await rpc.state(), await rpc.ask({ type: "get_entries" })]).toEqual(before);
  });

  test("RP-016 during a run settles it first", async () => {
    const rpc = await start(gated, ...texts("B"));
    await rpc.request({ type: "prompt", message: "one" });
    await rpc.waitFor({ type: "tool_execution_start" });
    const response = await rpc.request({ type: "branch", entryId: (await points(rpc))[0]?.entryId });
    expect(rpc.records[rpc.records.indexOf(response) - 1]).toEqual({ type: "agent_settled" });
    expect(response).toMatchObject({ data: { text: "one", cancelled: false } });
    expect(await contents(rpc)).toEqual([]);
    await rpc.promptAndWait("two");
    expect(await contents(rpc)).toEqual(["two", "B"]);
  });

  test("SE-012 model and thinking level follow the path", async () => {
    const models = [
      { id: "thinker", reasoning: true },
      { id: "other", reasoning: true },
    ];
    await workspace.write("agent/models.json", {
      providers: { local: { baseUrl: "http://127.0.0.1:1", api: "openai-completions", models } },
    });
    const rpc = await start(...texts("A", "B"));
    const { model } = await rpc.state();
    await rpc.promptAndWait("one");
    await rpc.promptAndWait("two");
    await rpc.ask({ type: "set_model", provider: "local", modelId: "thinker" });
    await rpc.ask({ type: "set_thinking_level", level: "high" });
    await rpc.ask({ type: "branch", entryId: (await points(rpc))[1]?.entryId });
    expect(await rpc.state()).toMatchObject({ model, thinkingLevel: "off" });
  });
});

describe("SE-013 fork and clone", () => {
  test("fork copies the path before a message into a new session file, and goes there", async () => {
    const { rpc, said } = await startTwoPrompts(...texts("C"));
    const before = await rpc.state();
    const source = await readFile(String(before.sessionFile), "utf8");
    const response = await rpc.request({ type: "fork", entryId: said[1]?.entryId });
    expect(response).toMatchObject({ command: "fork", success: true, data: { text: "two", cancelled: false } });
    const after = await rpc.state();
    expect(after.sessionFile).not.toBe(before.sessionFile);
    expect(after).toMatchObject({ messageCount: 2, model: before.model });
    await rpc.promptAndWait("three");
    const lines = await readLines(String(after.sessionFile));
    expect(lines[0]).toMatchObject({ type: "session", id: after.sessionId, parentSession: before.sessionFile, cwd: workspace.cwd });
    expect(lines.filter(({ type }) => type === "session")).toHaveLength(1);
    expect(rolesIn(lines)).toEqual(["user", "assistant", "user", "assistant"]);
    expectConnected(lines);
    expect(await readFile(String(before.sessionFile), "utf8")).toBe(source);
  });

  test("fork at the first message, before any answer, begins with one header", async () => {
    const rpc = await start(gated, ...texts("B"));
    await rpc.request({ type: "prompt", message: "one" });
    await rpc.waitFor({ type: "tool_execution_start" });
    const [first] = await points(rpc);
    expect(await rpc.ask({ type: "fork", entryId: first?.entryId })).toEqual({ text: "one", cancelled: false });
    const { sessionFile, messageCount } = await rpc.state();
    expect(messageCount).toBe(0);
    await rpc.promptAndWait("two");
    const lines = await readLines(String(sessionFile));
    expect(lines.filter(({ type }) => type === "session")).toHaveLength(1);
    expect(rolesIn(lines)).toEqual(["user", "assistant"]);
  });

  test("clone copies the active path, and goes there", async () => {
    const { rpc } = await startTwoPrompts(...texts("C"));
    const before = await rpc.state();
    expect(await rpc.ask({ type: "clone" })).toEqual({ cancelled: false });
    const after = await rpc.state();
    expect(after.sessionId).not.toBe(before.sessionId);
    expect(after.messageCount).toBe(4);
    await rpc.promptAndWait("three");
    expect(rolesIn(await readLines(String(before.sessionFile)))).toHaveLength(4);
    const copied = await readLines(String(after.sessionFile));
    expect(rolesIn(copied)).toHaveLength(6);
    expectConnected(copied);
  });

  test("fork of what is no user's message is refused and makes no file", async () => {
    const { rpc } = await startTwoPrompts();
    const answer = (await entries(rpc)).find(({ message }) => message?.role === "assistant");
    const before = await rpc.state();
    for (const entryId of ["ffffffff", answer?.id]) {
      expect(await rpc.request({ type: "fork", entryId })).toMatchObject({ command: "fork", success: false });
    }
    expect(await rpc.request({ type: "fork" })).toMatchObject({ error: expect.stringContaining('"entryId" must be a string') });
    expect(await rpc.state()).toEqual(before);
    expect(await workspace.sessionFiles()).toHaveLength(1);
  });

  test("--fork goes on in a copy of a session that another process is writing, by path or id", async () => {
    const { rpc } = await startTwoPrompts(...texts("C"));
    const { sessionFile, sessionId } = await rpc.state();
    await rpc.ask({ type: "follow_up", message: "later" });
    for (const ref of [String(sessionFile), String(sessionId).slice(0, 13)]) {
      const copy = startRpc(workspace, ["--fork", ref]);
      const state = await copy.state();
      expect(state).toMatchObject({ messageCount: 4, queuedMessageCount: 0 });
      expect(state.sessionId).not.toBe(sessionId);
      expect((await readLines(String(state.sessionFile)))[0]).toMatchObject({ parentSession: sessionFile });
      await copy.end();
    }
    const refused = await runCli(workspace, ["--mode", "rpc", "--fork", "ffffffff"]);
    expect(refused).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringContaining('"ffffffff"') });
  });
});

describe("get_entries", () => {
  test("has every line of the file but the header, in order; since and limit cut it", async () => {
    const { rpc } = await startTwoPrompts();
    const { sessionFile } = await rpc.state();
    const all = await entries(rpc);
    expect(all).toEqual((await readLines(String(sessionFile))).slice(1));
    const { leafId } = await rpc.ask({ type: "get_entries" });
    expect(leafId).toBe(all.at(-1)?.id);
    expect(await entries(rpc, { since: all[1]?.id })).toEqual(all.slice(2));
    expect(await entries(rpc, { since: all[1]?.id, limit: 2 })).toEqual(all.slice(2, 4));
    expect(await entries(rpc, { limit: 1, since: null })).toEqual(all.slice(0, 1));
    expect(await entries(rpc, { since: leafId, limit: null })).toEqual([]);
  });

  test("an unknown since and an unusable limit are errors; before the first message there is nothing", async () => {
    const rpc = startRpc(workspace, ["--model", "demo/tour"]);
    expect(await rpc.ask({ type: "get_entries" })).toEqual({ entries: [], leafId: null });
    expect(await rpc.ask({ type: "get_tree" })).toEqual({ tree: [], leafId: null });
    expect(await rpc.request({ type: "get_entries", since: "nope" })).toMatchObject({
      success: false,
      error: expect.stringContaining('no entry "nope"'),
    });
    for (const limit of [0, -1, 1.5, "3"]) {
      expect(await rpc.request({ type: "get_entries", limit })).toMatchObject({
        success: false,
        error: expect.stringMatching(/"limit" must be/),
      });
    }
  });
});

describe("get_tree", () => {
  test("has branches, labels and their times", async () => {
    const stamp = "2026-01-02T03:04:05.000Z";
    const said = (id: string, parentId: string | null) => ({
      ...{ type: "message", id, parentId, timestamp: stamp },
      message: { role: "user", content: id, timestamp: 1 },
    });
    const file = await workspace.write(
      "labelled.jsonl",
      [
        { type: "session", version: 3, id: "labelled", timestamp: stamp, cwd: workspace.cwd },
        ...[said("aaaaaaaa", null), said("bbbbbbbb", "aaaaaaaa"), said("cccccccc", "aaaaaaaa")],
        { type: "label", id: "dddddddd", parentId: "cccccccc", timestamp: stamp, targetId: "bbbbbbbb", label: "here" },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(""),
    );
    const rpc = startRpc(workspace, ["--session", file, "--model", "demo/tour"]);
    const { tree, leafId } = await rpc.ask({ type: "get_tree" });
    expect(leafId).toBe("dddddddd");
    expect(tree).toEqual([
      {
        entry: said("aaaaaaaa", null),
        children: [
          { entry: said("bbbbbbbb", "aaaaaaaa"), children: [], label: "here", labelTimestamp: stamp },
          { entry: said("cccccccc", "aaaaaaaa"), children: [expect.objectContaining({ children: [] })] },
        ],
      },
    ]);
  });

  test("of a conversation of 20,000 messages is as deep, and the process goes on", async () => {
    const depth = 20_000;
    const stamp = "2026-01-02T03:04:05.000Z";
    const id = (n: number) => n.toString(16).padStart(8, "0");
    const lines = [JSON.stringify({ type: "session", version: 3, id: "deep", timestamp: stamp, cwd: workspace.cwd })];
    for (let n = 1; n <= depth; n += 1) {
      const message = { role: "user", content: `m${n}`, timestamp: n };
      lines.push(JSON.stringify({ type: "message", id: id(n), parentId: n === 1 ? null : id(n - 1), timestamp: stamp, message }));
    }
    const file = await workspace.write("deep.jsonl", `${lines.join("\n")}\n`);
    const rpc = startRpc(workspace, ["--session", file, "--model", "demo/tour"]);
    const { tree, leafId } = await rpc.ask({ type: "get_tree" });
    expect(leafId).toBe(id(depth));
    let count = 0;
    for (let node = (tree as EntryTreeNode[])[0]; node; node = node.children[0]) {
      count += 1;
      expect(node.entry.id).toBe(id(count));
    }
    expect(count).toBe(depth);
    expect(await rpc.state()).toMatchObject({ messageCount: depth });
  });
});

test("SIGKILL keeps what was accepted into the queues; the next process says it with its first prompt", async () => {
  const rpc = startRpc(workspace, ["--model", await workspace.script({ text: "slow", delayMs: 60_000 })]);
  await rpc.request({ type: "prompt", message: "Go" });
  const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
  await rpc.ask({ type: "follow_up", message: "f1" });
  await rpc.ask({ type: "steer", message: "s1", images: [image] });
  await rpc.ask({ type: "clear_queue" });
  await rpc.ask({ type: "follow_up", message: "f2" });
  await rpc.ask({ type: "steer", message: "s2", images: [image] });
  rpc.child.kill("SIGKILL");
  await rpc.exited;
  const again = startRpc(workspace, ["--continue", "--model", await workspace.script(...texts("A", "B", "C"))]);
  expect(await again.state()).toMatchObject({ queuedMessageCount: 2, isStreaming: false });
  await again.promptAndWait("Again");
  const { messages } = await again.ask({ type: "get_messages" });
  const users = (messages as { role: string; content: unknown }[]).filter(({ role }) => role === "user");
  expect(users.map(({ content }) => content)).toEqual(["Go", [{ type: "text", text: "s2" }, image], "Again", "f2"]);
  await again.end();
  const third = startRpc(workspace, ["--continue"]);
  expect(await third.state()).toMatchObject({ queuedMessageCount: 0 });
});

/** Every entry's parent stands before it. */
function expectConnected(lines: readonly SessionLine[]): void {
  const seen = new Set<string | null>([null]);
  for (const { id, parentId = null } of lines.slice(1)) {
    expect(seen).toContain(parentId);
    seen.add(id);
  }
}

function userMessagesBelow(node: EntryTreeNode): unknown[] {
  const { entry } = node;
  const own = entry.type === "message" && entry.message.role === "user" ? [entry.message.content] : [];
  return [...own, ...node.children.flatMap(userMessagesBelow)];
}
