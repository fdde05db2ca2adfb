import { createHash } from "node:crypto";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { basename, relative } from "node:path";
import { createScriptedModel, type Script } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import { MemorySessionStore } from "../../../src/conversation/memory-store.ts";
import { openSession } from "../../helpers/sessions.ts";
import { readLines, useWorkspace } from "../../helpers/workspace.ts";
import { calls, connectChat, playChat, priced } from "./chat-client.ts";

const workspace = useWorkspace();

/** Answers with what the user has said so far. */
const echo: Script = ({ messages }) => ({
  text: messages.flatMap(({ role, content }) => (role === "user" ? [String(content)] : [])).join(" | "),
});
const connectEcho = (base = {}) => connectChat(workspace, { model: createScriptedModel({ script: echo }), ...base });

test("a key names a session by its hash, and its first entry says so", async () => {
  const client = connectEcho();
  await client.chat({ message: "Hi", session_key: "customer 7" });
  const id = `chat-${createHash("sha256").update("customer 7").digest("hex").slice(0, 16)}`;
  expect((await workspace.sessionLines()).slice(0, 2)).toMatchObject([
    { type: "session", id, cwd: workspace.cwd },
    { type: "custom", customType: "pikit.chat-key", data: { key: "customer 7" }, parentId: null },
  ]);
  expect((await workspace.sessionFiles()).map((path) => basename(path))).toEqual([expect.stringContaining(`_${id}.jsonl`)]);
});

test("each key has its own history, also when chats alternate and after a restart", async () => {
  const first = connectEcho();
  const responses = async (client: typeof first) => client.all("done").map(({ response }) => response);
  await first.chat({ message: "a1", session_key: "a" });
  await first.chat({ message: "b1", session_key: "b" });
  await first.chat({ message: "a2", session_key: "a" });
  await first.chat({ message: "none" });
  await first.chat({ message: "default", session_key: "default" });
  expect(await responses(first)).toEqual(["a1", "b1", "a1 | a2", "none", "none | default"]);
  await first.server.close();
  const second = connectEcho();
  await second.chat({ message: "a3", session_key: "a" });
  expect(await responses(second)).toEqual(["a1 | a2 | a3"]);
  expect(await workspace.sessionFiles()).toHaveLength(3);
});

test.each(["", "../../etc/passwd", "/abs", "a\0b", "C:\\x", "\u2028 😀", ".", "k".repeat(256), "__proto__", "\ud800"])(
  "the key %j is no path",
  async (session_key) => {
    const client = connectEcho();
    await client.chat({ message: "one", session_key });
    await client.chat({ message: "two", session_key, context: { append: "x" } });
    expect(client.all("done").map(({ response }) => response)).toEqual(["one", "one | two"]);
    const [file] = await workspace.sessionFiles();
    expect(basename(file ?? "")).toMatch(/_chat-[0-9a-f]{16}\.jsonl$/);
    expect((await readdir(workspace.root)).sort()).toEqual(["agent", "work"]);
  },
);

test("folders keep their chats apart, and a chat works in its own", async () => {
  await mkdir(`${workspace.root}/other`);
  const model = priced([
    calls(["bash", { command: "pwd" }]),
    { text: "Done." },
    calls(["bash", { command: "pwd" }]),
    { text: "Done." },
  ]);
  const client = connectChat(workspace, { model });
  await client.chat({ message: "Where?" });
  await client.chat({ message: "Where?", config: { workspace: "../other" } });
  expect(client.all("tool_result").map(({ result }) => result.trim())).toEqual([workspace.cwd, `${workspace.root}/other`]);
  const headers = await Promise.all((await workspace.sessionFiles()).map(async (path) => (await readLines(path))[0]));
  expect(headers.map((header) => header?.cwd).sort()).toEqual([`${workspace.root}/other`, workspace.cwd]);
});

test("two folders whose sessions are kept in one keep their chats apart too", async () => {
  // Both paths give the same name for the folder of their sessions.
  await mkdir(`${workspace.cwd}/a/b`, { recursive: true });
  await mkdir(`${workspace.cwd}/a-b`);
  const client = connectEcho();
  await client.chat({ message: "one", config: { workspace: "a/b" } });
  await client.chat({ message: "two", config: { workspace: "a-b" } });
  expect(client.all("done").map(({ response }) => response)).toEqual(["one", "two"]);
});

test("a preview goes on between chats of one key, and stops with a chat of another one", async () => {
  await workspace.write("work/dist/index.html", "<h1>Hello</h1>");
  const client = playChat(workspace, [calls(["preview", { path: "dist" }]), { text: "Look." }, { text: "Yes." }, { text: "Bye." }]);
  await client.chat({ message: "Show it" });
  const { url } = (await client.waitFor("preview_ready")).data;
  await client.chat({ message: "Still there?" });
  expect(await (await fetch(url)).text()).toBe("<h1>Hello</h1>");
  await client.chat({ message: "Something else", session_key: "other" });
  expect(client.all("preview_stopped")).toEqual([{ reason: "the session ended" }]);
  await expect(fetch(url)).rejects.toThrow();
});

test("a refused chat leaves the session of the last one as it is", async () => {
  const client = connectEcho();
  await client.chat({ message: "one" });
  await client.chat({ message: "x", config: { workspace: "gone" } });
  await client.chat({ message: "two" });
  expect(client.all("done").map(({ response }) => response)).toEqual(["one", "one | two"]);
});

test("a session that somebody else writes to is busy", async () => {
  const first = connectEcho();
  await first.chat({ message: "one" });
  const second = connectEcho();
  second.send("agent_chat", { message: "two" });
  await second.waitFor("error");
  expect(second.all("error")).toEqual([
    { code: "busy", message: expect.stringContaining(`by this process (${process.pid})`), ends_chat: false },
  ]);
  await first.server.close();
  await second.chat({ message: "three" });
  expect(second.all("done")).toMatchObject([{ response: "one | three" }]);
});

test("SE-007 SE-009 a file that this version cannot read stays as it is, and the key begins another", async () => {
  const first = connectEcho();
  await first.chat({ message: "one" });
  await first.server.close();
  const [file = ""] = await workspace.sessionFiles();
  const newer = (await readLines(file)).map((line) => `${JSON.stringify({ ...line, version: 99 })}\n`).join("");
  await workspace.write(relative(workspace.root, file), newer);
  const second = connectEcho();
  await second.chat({ message: "two" });
  expect(second.all("done")).toMatchObject([{ response: "two" }]);
  expect(await readFile(file, "utf8")).toBe(newer);
});

test("SE-021 where nothing can be written the chat goes on, and an error says so", async () => {
  await workspace.write("agent/sessions", "a file in the place of the folder");
  const client = connectEcho();
  await client.chat({ message: "one" });
  await client.chat({ message: "two" });
  expect(client.all("error")).toEqual([
    { code: "internal", message: expect.stringMatching(/^Cannot write to the session file/), ends_chat: false },
  ]);
  expect(client.all("done").map(({ response }) => response)).toEqual(["one", "one | two"]);
});

test("other modes can go on with a chat", async () => {
  const client = connectEcho();
  await client.chat({ message: "one" });
  await client.server.close();
  const { session } = await openSession(workspace, { session: "continue", model: createScriptedModel({ script: echo }) });
  await session.prompt("two");
  expect(session.lastAssistantText()).toBe("one | two");
});

describe("without files", () => {
  test("chats are kept as long as the process", async () => {
    const client = connectEcho({ store: new MemorySessionStore() });
    await client.chat({ message: "a1", session_key: "a" });
    await client.chat({ message: "b1", session_key: "b" });
    await client.chat({ message: "a2", session_key: "a" });
    expect(client.all("done").map(({ response }) => response)).toEqual(["a1", "b1", "a1 | a2"]);
    expect(await workspace.sessionFiles()).toEqual([]);
  });
});
