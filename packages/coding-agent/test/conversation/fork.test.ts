import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Conversation } from "../../src/conversation/conversation.ts";
import { FileSessionStore } from "../../src/conversation/file-store.ts";
import { forkConversation } from "../../src/conversation/fork.ts";
import { MemorySessionStore } from "../../src/conversation/memory-store.ts";
import { queueAddition } from "../../src/conversation/queue-journal.ts";
import { assistantMessage, userMessage } from "../helpers/messages.ts";
import { readLines, useWorkspace } from "../helpers/workspace.ts";
import { copySession, entriesOf, files, readSession, sessionText, textsOf } from "./helpers.ts";

const workspace = useWorkspace();
const store = () => new FileSessionStore(join(workspace.root, "sessions"));

test("SE-013 a fork has the chosen path, its own id and a reference to its parent; the source is unchanged", async () => {
  const source = Conversation.create(store(), { cwd: "/work" });
  await source.append({ type: "model_change", provider: "p", modelId: "m" });
  await source.appendMessage(userMessage("one"));
  await source.appendMessage(assistantMessage("two"));
  const branchPoint = source.leafId as string;
  await source.appendMessage(userMessage("three"));
  await source.append({ type: "compaction", summary: "s", firstKeptEntryId: branchPoint, tokensBefore: 5 });
  await source.append({ type: "from_the_future", more: [1] } as never);
  const leafId = source.leafId;
  source.moveTo(branchPoint);
  await source.appendMessage(userMessage("elsewhere"));
  const before = await readFile(source.path as string, "utf8");

  const fork = await forkConversation({ store: store(), source, leafId, cwd: "/other" });
  const [header, ...entries] = await readLines(fork.path as string);
  expect(header).toMatchObject({ type: "session", version: 3, cwd: "/other", parentSession: source.path });
  expect(header?.id).not.toBe(source.header.id);
  expect(entries).toEqual((await entriesOf(source)).slice(0, 6));
  expect(await textsOf(fork)).toEqual(["compactionSummary", [{ type: "text", text: "two" }], "three"]);
  expect((await fork.readContext()).model).toEqual({ provider: "p", modelId: "m" });
  await fork.appendMessage(userMessage("four"));
  expect((await entriesOf(fork)).at(-1)).toMatchObject({ parentId: leafId });
  expect(await readFile(source.path as string, "utf8")).toBe(before);
  expect(source.header.parentSession).toBeUndefined();
  await source.close();
  await fork.close();
});

test("SE-013 labels of the path are what they are in the source, wherever they were given, changed or taken away", async () => {
  const source = Conversation.create(new MemorySessionStore(), { cwd: "/work" });
  const said = async (text: string) => (await source.append({ type: "message", message: userMessage(text) })).id;
  const label = (targetId: string, text?: string) =>
    source.append({ type: "label", targetId, ...(text === undefined ? {} : { label: text }) });
  const [one, two, three] = [await said("one"), await said("two"), await said("three")];
  await label(one, "stays");
  await label(two, "is changed");
  await label(three, "is taken away");
  const leafId = source.leafId;
  source.moveTo(one);
  const other = await said("other");
  await label(two, "changed");
  await label(three);
  await label(other, "not on the path");
  const fork = await forkConversation({ store: new MemorySessionStore(), source, leafId, cwd: "/work" });
  const labels = (of: Conversation) => [...of.labels].map(([id, { label }]) => [id, label]);
  expect(labels(fork)).toEqual([
    [one, "stays"],
    [two, "changed"],
  ]);
  expect(labels(source)).toHaveLength(3);
});

test("SE-013 a fork before any answer, and one of nothing, begin no file of their own before their first message", async () => {
  const source = Conversation.create(store(), { cwd: "/work" });
  await source.append({ type: "model_change", provider: "p", modelId: "m" });
  const setUp = source.leafId;
  await source.appendMessage(userMessage("one"));
  for (const leafId of [null, setUp]) {
    const fork = await forkConversation({ store: store(), source, leafId, cwd: "/work" });
    expect(await readdir(join(workspace.root, "sessions"))).toHaveLength(2); // the source and its lock
    await fork.appendMessage(userMessage("other"));
    const lines = await readLines(fork.path as string);
    expect(lines.map(({ type }) => type)).toEqual(["session", ...(leafId ? ["model_change"] : []), "message"]);
    await fork.close();
    await store().remove(fork.ref);
  }
  await source.close();
});

test("messages that wait stay with the source", async () => {
  const source = Conversation.create(new MemorySessionStore(), { cwd: "/work" });
  await source.appendMessage(userMessage("one"));
  for (const queueId of ["said", "waits"]) {
    await source.append(queueAddition({ queueId, queue: "steering", message: userMessage(queueId) }));
  }
  const leafId = source.leafId;
  await source.appendMessage(userMessage("said"), "said");
  const fork = await forkConversation({ store: new MemorySessionStore(), source, leafId, cwd: "/work" });
  expect(fork.queued).toEqual([]);
  expect(source.queued).toMatchObject([{ queueId: "waits" }]);
});

test("a session that somebody else writes is forked; older formats are left as they are", async () => {
  const v1 = await copySession(workspace, "v1.jsonl");
  const before = await readFile(v1, "utf8");
  const writer = await Conversation.open(files, v1);
  const source = await Conversation.read(files, v1);
  const fork = await forkConversation({ store: store(), source, leafId: source.leafId, cwd: "/work" });
  expect(readSession(fork.path as string).entries).toEqual(readSession(v1).entries);
  expect(await readFile(v1, "utf8")).toBe(before);
  await fork.close();
  await source.close();
  await writer.close();
});

test("SE-021 a fork that fails leaves nothing behind", async () => {
  const path = await workspace.write("source.jsonl", sessionText(["x".repeat(300), "two", "three"]));
  const source = await Conversation.read(files, path);
  const leafId = source.leafId;
  source.moveTo(null);
  await source.readContext(); // no body is in memory now
  await writeFile(path, sessionText([]));
  await expect(forkConversation({ store: store(), source, leafId, cwd: "/work" })).rejects.toMatchObject({ code: "read_failed" });
  expect(await store().list()).toEqual([]);
  await source.close();
});
