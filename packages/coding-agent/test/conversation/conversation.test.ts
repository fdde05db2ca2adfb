import { describe, expect, test } from "vitest";
import { Conversation } from "../../src/conversation/conversation.ts";
import { createEntryId, createSessionId, isSessionId } from "../../src/conversation/ids.ts";
import { MemorySessionStore } from "../../src/conversation/memory-store.ts";
import type { SessionLine, SessionStore } from "../../src/conversation/session-store.ts";
import { assistantMessage, userMessage } from "../helpers/messages.ts";
import { textsOf } from "./helpers.ts";

/** Keeps each append as a list of its own. */
function createRecordingStore() {
  const appends: SessionLine[][] = [];
  let failure: Error | undefined;
  const memory = new MemorySessionStore();
  const store: Pick<SessionStore, "create"> = {
    create(header) {
      const log = memory.create(header);
      return {
        ...log,
        append(lines, recall) {
          if (failure) throw failure;
          appends.push(JSON.parse(JSON.stringify(lines)) as SessionLine[]);
          return log.append(lines, recall);
        },
      };
    },
  };
  return {
    store,
    appends,
    types: () => appends.map((lines) => lines.map(({ type }) => type)),
    fail: (error: Error | undefined) => {
      failure = error;
    },
  };
}

test("SE-001 header and entries have the fields of format 3, and each entry follows the one before", async () => {
  const { store, appends } = createRecordingStore();
  const conversation = Conversation.create(store, { cwd: "/work" });
  await conversation.append({ type: "model_change", provider: "p", modelId: "m" });
  await conversation.appendMessage(userMessage("one"));
  await conversation.appendMessage(assistantMessage("two"));
  const [header, ...entries] = appends.flat();
  expect(header).toEqual({
    type: "session",
    version: 3,
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    cwd: "/work",
  });
  const id = expect.stringMatching(/^[0-9a-f]{8}$/);
  const timestamp = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(entries).toEqual([
    { type: "model_change", provider: "p", modelId: "m", id, parentId: null, timestamp },
    { type: "message", message: userMessage("one"), id, parentId: entries[0]?.id, timestamp },
    { type: "message", message: assistantMessage("two"), id, parentId: entries[1]?.id, timestamp },
  ]);
});

test("SE-001 an id that is taken is not given again, and ids of sessions sort by their time", () => {
  const taken = new Set<string>();
  const id = createEntryId((candidate) => taken.size < 3 && taken.add(candidate).size > 0);
  expect(taken.size).toBe(3);
  expect(taken.has(id)).toBe(false);
  const ids = [1_700_000_000_000, 1_700_000_000_001, 1_800_000_000_000].map((now) => createSessionId(now));
  expect(ids).toEqual([...ids].sort());
  expect(new Set(Array.from({ length: 1000 }, () => createSessionId(1))).size).toBe(1000);
});

test.each([
  ["a", true],
  ["build-2.1_x", true],
  [createSessionId(), true],
  ["x".repeat(128), true],
  ["", false],
  ["x".repeat(129), false],
  ["-a", false],
  ["a.", false],
  ["a/b", false],
  ["..", false],
  ["ä", false],
  ["a\n", false],
])("the session id %j can be used: %s", (id, isUsable) => {
  expect(isSessionId(id)).toBe(isUsable);
});

test("SE-002 nothing is written until an entry carries something; then header and earlier entries come with it in one append", async () => {
  const { store, types } = createRecordingStore();
  const conversation = Conversation.create(store, { cwd: "/work" });
  await conversation.append({ type: "model_change", provider: "p", modelId: "m" });
  await conversation.append({ type: "thinking_level_change", thinkingLevel: "off" });
  expect(types()).toEqual([]);
  await conversation.appendMessage(userMessage("one"));
  await conversation.append({ type: "model_change", provider: "p", modelId: "n" });
  expect(types()).toEqual([["session", "model_change", "thinking_level_change", "message"], ["model_change"]]);
});

test.each([
  { type: "session_info", name: "x" } as const,
  { type: "custom", customType: "x" } as const,
  { type: "custom_message", customType: "x", content: "y", display: true } as const,
])("SE-002 a $type entry begins the file too", async (content) => {
  const { store, types } = createRecordingStore();
  await Conversation.create(store, { cwd: "/work" }).append(content);
  expect(types()).toEqual([["session", content.type]]);
});

test("SE-003 entries are written one an append, in the order in which they came, each message once", async () => {
  const { store, appends } = createRecordingStore();
  const conversation = Conversation.create(store, { cwd: "/work" });
  const messages = [userMessage("0"), assistantMessage("1"), userMessage("2"), assistantMessage("3")];
  await Promise.all(messages.flatMap((message) => [conversation.appendMessage(message), conversation.appendMessage(message)]));
  expect(appends.map((lines) => lines.length)).toEqual([2, 1, 1, 1]);
  expect(appends.flat().slice(1)).toMatchObject(messages.map((message) => ({ message })));
});

test("SE-011 after loading, the leaf is the last entry of the file, whatever branch it is on; a branch changes no entry", async () => {
  const at = "2026-01-01T00:00:00.000Z";
  const entry = (id: string, parentId: string | null, text: string) =>
    ({ type: "message", id, parentId, timestamp: at, message: userMessage(text) }) as const;
  const entries = [
    entry("00000001", null, "root"),
    entry("00000002", "00000001", "old way"),
    entry("00000003", "00000001", "new way"),
  ];
  const store = new MemorySessionStore();
  const header = { type: "session", version: 3, id: "s", timestamp: at, cwd: "/work" } as const;
  const log = store.create(header);
  await log.append([header, ...entries], () => undefined);
  await log.close();

  const conversation = await Conversation.open(store, "s");
  expect(await textsOf(conversation)).toEqual(["root", "new way"]);
  await conversation.appendMessage(userMessage("next"));
  conversation.moveTo("00000002");
  expect(await textsOf(conversation)).toEqual(["root", "old way"]);
  await conversation.appendMessage(userMessage("more"));
  conversation.moveTo(null);
  expect(await textsOf(conversation)).toEqual([]);
  await conversation.appendMessage(userMessage("other root"));
  const after = await conversation.read(conversation.nodes);
  expect(after.slice(0, 3)).toEqual(entries);
  expect(after.slice(3)).toMatchObject([{ parentId: "00000003" }, { parentId: "00000002" }, { parentId: null }]);
});

describe("SE-021 a store that fails", () => {
  test("keeps the entry in effect, and writes everything that waited with the next append, header first", async () => {
    const { store, types, fail } = createRecordingStore();
    const conversation = Conversation.create(store, { cwd: "/work" });
    fail(new Error("disk full"));
    await expect(conversation.appendMessage(userMessage("one"))).rejects.toThrow("disk full");
    await expect(conversation.append({ type: "model_change", provider: "p", modelId: "m" })).rejects.toThrow("disk full");
    expect(await conversation.readContext()).toMatchObject({ messages: [userMessage("one")], model: { modelId: "m" } });
    fail(undefined);
    await conversation.appendMessage(userMessage("two"));
    expect(types()).toEqual([["session", "message", "model_change", "message"]]);
  });
});

test("SE-014 in memory there is no path, and the conversation is the same", async () => {
  const conversation = Conversation.create(new MemorySessionStore(), { cwd: "/work" });
  await conversation.appendMessage(userMessage("one"));
  expect(conversation.path).toBeNull();
  expect((await conversation.readContext()).messages).toEqual([userMessage("one")]);
});

test("SE-020 the name given last is the session's", async () => {
  const conversation = Conversation.create(new MemorySessionStore(), { cwd: "/work" });
  expect(conversation.name).toBeNull();
  await conversation.append({ type: "session_info", name: "first" });
  await conversation.append({ type: "session_info", name: "second" });
  expect(conversation.name).toBe("second");
});
