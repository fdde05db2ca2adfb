import { readdirSync } from "node:fs";
import { open, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Conversation } from "../../src/conversation/conversation.ts";
import type { EntryContent } from "../../src/conversation/entries.ts";
import { MemorySessionStore } from "../../src/conversation/memory-store.ts";
import { readTree } from "../../src/conversation/read-tree.ts";
import type { SessionStore } from "../../src/conversation/session-store.ts";
import { userMessage } from "../helpers/messages.ts";
import { SlowStore } from "../helpers/slow-store.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { copySession, entriesOf, files, openToWrite, readSession, sessionText, textsIn, textsOf } from "./helpers.ts";

const workspace = useWorkspace();
const path = () => join(workspace.root, "session.jsonl");

const compaction = (firstKeptEntryId: string): EntryContent => ({
  type: "compaction",
  summary: "so far",
  firstKeptEntryId,
  tokensBefore: 1,
});

/** A session in a file: three messages that a compaction has replaced, one that it has kept, and one after it. */
async function openCompacted(): Promise<Conversation> {
  await writeFile(path(), sessionText(["1", "2", "3", "kept"]));
  const conversation = await openToWrite(path());
  await conversation.append(compaction(conversation.leafId as string));
  await conversation.appendMessage(userMessage("after"));
  expect(await textsOf(conversation)).toEqual(["compactionSummary", "kept", "after"]);
  return conversation;
}

/** For each entry whether its body is in memory. */
function held(conversation: Conversation): boolean[] {
  return conversation.nodes.map(({ entry }) => entry !== undefined);
}

describe("what is in memory", () => {
  test("are the bodies of the context, after compaction, branching and loading; others are read when they are asked for", async () => {
    const conversation = await openCompacted();
    expect(held(conversation)).toEqual([false, false, false, true, true, true]);
    const texts = (await entriesOf(conversation)).map((entry) => (entry.type === "message" ? entry.message : entry.type));
    expect(texts).toMatchObject([{ content: "1" }, { content: "2" }, { content: "3" }, { content: "kept" }, "compaction", {}]);
    expect(held(conversation)).toEqual([false, false, false, true, true, true]);

    conversation.moveTo(conversation.nodes[1]?.id ?? null);
    expect(await textsOf(conversation)).toEqual(["1", "2"]);
    expect(held(conversation)).toEqual([true, true, false, false, false, false]);
    await conversation.close();

    const loaded = await openToWrite(path());
    expect(held(loaded)).toEqual([false, false, false, true, true, true]);
    expect(await textsOf(loaded)).toEqual(["compactionSummary", "kept", "after"]);
  });

  test("are no bodies of names, labels and state once they are written", async () => {
    const conversation = Conversation.create(new MemorySessionStore(), { cwd: "/work" });
    await conversation.append({ type: "thinking_level_change", thinkingLevel: "low" });
    expect(held(conversation)).toEqual([true]);
    await conversation.append({ type: "custom", customType: "state", data: 1 });
    await conversation.appendMessage(userMessage("one"));
    await conversation.append({ type: "custom", customType: "state", data: 2 });
    await conversation.append({ type: "session_info", name: "name" });
    expect(held(conversation).slice(1)).toEqual([false, true, false, false]);
    expect(await conversation.readCustom("state")).toBe(2);
    conversation.moveTo(conversation.nodes[2]?.id ?? null);
    expect(await conversation.readCustom("state")).toBe(1);
    expect(await conversation.readCustom("other")).toBeUndefined();
  });

  test("are entries that could not be written, also behind a compaction", async () => {
    const memory = new MemorySessionStore();
    let isFull = false;
    const store: Pick<SessionStore, "create"> = {
      create(header) {
        const log = memory.create(header);
        return {
          ...log,
          append(lines, recall) {
            if (isFull) throw new Error("disk full");
            return log.append(lines, recall);
          },
        };
      },
    };
    const conversation = Conversation.create(store, { cwd: "/work" });
    await conversation.appendMessage(userMessage("0"));
    isFull = true;
    for (const text of ["1", "2", "3"]) await conversation.appendMessage(userMessage(text)).catch(() => undefined);
    await conversation.append(compaction(conversation.leafId as string)).catch(() => undefined);
    expect(await textsOf(conversation)).toEqual(["compactionSummary", "3"]);
    expect(await entriesOf(conversation)).toHaveLength(5);
    conversation.moveTo(conversation.nodes[2]?.id ?? null);
    expect(await textsOf(conversation)).toEqual(["0", "1", "2"]);
    isFull = false;
    await conversation.close();
    const reopened = await Conversation.open(memory, conversation.ref);
    expect(await entriesOf(reopened)).toEqual(await entriesOf(conversation));
  });
});

describe("SE-021 a file of which something is not in memory", () => {
  test.each<[string, () => Promise<unknown>]>([
    ["that was deleted", () => rm(path())],
    ["that was moved", () => rename(path(), `${path()}.moved`)],
    ["that was replaced by what it was earlier", () => rm(path()).then(() => writeFile(path(), sessionText(["1"])))],
    ["that was replaced by an empty one", () => rm(path()).then(() => writeFile(path(), ""))],
  ])("%s is whole again with the next append: what is missing is read from the file that is still open", async (_name, act) => {
    const conversation = await openCompacted();
    const before = await entriesOf(conversation);
    await act();
    expect(await entriesOf(conversation)).toEqual(before);
    await conversation.appendMessage(userMessage("next"));
    expect(readSession(path()).entries).toEqual(await entriesOf(conversation));
    expect(conversation.diagnostics).toEqual([]);
    expect(await textsIn(path())).toEqual(["compactionSummary", "kept", "after", "next"]);
  });

  test("that was cut off has what the context needs with the next append, and the loss is told", async () => {
    const conversation = await openCompacted();
    await truncate(path(), sessionText(["1"]).length);
    await conversation.appendMessage(userMessage("next"));
    expect(conversation.diagnostics).toEqual([`2 entries of ${path()} are lost: another program has truncated the file.`]);
    expect(await textsIn(path())).toEqual(["compactionSummary", "kept", "after", "next"]);
    expect(readSession(path()).entries).toHaveLength(5);
    await conversation.appendMessage(userMessage("more"));
    expect(conversation.diagnostics).toHaveLength(1);
    // The session goes on, also on the branch that is whole; what is lost is named.
    await expect(entriesOf(conversation)).rejects.toMatchObject({
      code: "read_failed",
      message: expect.stringMatching(
        /^Cannot read the entry [0-9a-f]{8} from the session file .*: another program has changed the file\. Restore it\.$/,
      ),
    });
    expect(await textsOf(conversation)).toEqual(["compactionSummary", "kept", "after", "next", "more"]);
    conversation.moveTo(conversation.nodes[0]?.id ?? null);
    expect(await textsOf(conversation)).toEqual(["1"]);
  });

  test("that was overwritten by another session with the same ids takes nothing of it", async () => {
    const conversation = await openCompacted();
    const foreign = sessionText(["a", "b", "c", "d"], "s-2");
    await writeFile(path(), foreign);
    await expect(conversation.appendMessage(userMessage("next"))).rejects.toMatchObject({ code: "write_failed" });
    await rename(path(), `${path()}.foreign`);
    await conversation.appendMessage(userMessage("more"));
    expect(await textsIn(path())).toEqual(["compactionSummary", "kept", "after", "next", "more"]);
    expect(await readFile(path(), "utf8")).not.toMatch(/"content":"[abcd]"/);
    expect(conversation.diagnostics).toEqual([`3 entries of ${path()} are lost: another program has truncated the file.`]);
  });

  test("whose line was overwritten gives an error, and the entry once it is restored", async () => {
    const conversation = await openCompacted();
    const before = await readFile(path());
    const file = await open(path(), "r+");
    await file.write("x".repeat(40), sessionText([]).length);
    await expect(entriesOf(conversation)).rejects.toMatchObject({ code: "read_failed" });
    await file.write(before);
    await file.close();
    expect(await entriesOf(conversation)).toHaveLength(6);
  });
});

test.each(["v1.jsonl", "v2.jsonl"])("SE-008 the entries of %s are read before and after it is rewritten", async (name) => {
  const old = await copySession(workspace, name);
  const before = readSession(old).entries;
  const conversation = await openToWrite(old);
  await conversation.readContext();
  expect(await entriesOf(conversation)).toEqual(before);
  const entry = await conversation.append({ type: "session_info", name: "x" });
  expect(await entriesOf(conversation)).toEqual([...before, entry]);
  await rm(old);
  const next = await conversation.append({ type: "session_info", name: "y" });
  expect(readSession(old).entries).toEqual([...before, entry, next]);
});

test("reading a closed session works and leaves no file open", async () => {
  const count = () => readdirSync("/proc/self/fd").length;
  const conversation = await openCompacted();
  await conversation.close();
  const before = count();
  expect(await entriesOf(conversation)).toHaveLength(6);
  await conversation.appendMessage(userMessage("late"));
  expect(await entriesOf(conversation)).toHaveLength(7);
  expect(count()).toBe(before);
});

test("a session that was opened to be read takes no append and changes nothing", async () => {
  await writeFile(path(), sessionText(["one"]));
  const conversation = await Conversation.read(files, path());
  await expect(conversation.appendMessage(userMessage("two"))).rejects.toMatchObject({ code: "write_failed" });
  await conversation.close();
  expect(await readFile(path(), "utf8")).toBe(sessionText(["one"]));
});

describe("a store that answers later", () => {
  test("gets one append at a time, in order, with everything that came meanwhile", async () => {
    const store = new SlowStore();
    const conversation = Conversation.create(store, { cwd: "/work" });
    const texts = Array.from({ length: 20 }, (_, n) => `text ${n}`);
    await Promise.all(texts.map((text) => conversation.appendMessage(userMessage(text))));
    expect(conversation.isBehind).toBe(false);
    await conversation.close();
    expect(await textsOf(await Conversation.read(store, conversation.ref))).toEqual(texts);
  });

  test("is closed after the append that is going", async () => {
    const store = new SlowStore();
    const conversation = Conversation.create(store, { cwd: "/work" });
    const appended = Promise.all([conversation.appendMessage(userMessage("one")), conversation.appendMessage(userMessage("two"))]);
    await conversation.close();
    const other = await Conversation.open(store, conversation.ref);
    expect(await textsOf(other)).toEqual(["one", "two"]);
    await appended;
  });

  test("is asked for nothing that it does not have yet", async () => {
    const conversation = Conversation.create(new SlowStore(), { cwd: "/work" });
    await conversation.appendMessage(userMessage("one"));
    const going = conversation.append({ type: "custom", customType: "state", data: 1 });
    await conversation.readContext();
    expect(await readTree(conversation)).toMatchObject([{ children: [{ entry: { data: 1 } }] }]);
    await going;
    expect(await readTree(conversation)).toMatchObject([{ children: [{ entry: { data: 1 } }] }]);
  });
});
