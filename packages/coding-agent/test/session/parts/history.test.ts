import { readFile, truncate } from "node:fs/promises";
import { createScriptedModel } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import { FileSessionStore } from "../../../src/conversation/file-store.ts";
import { MemorySessionStore } from "../../../src/conversation/memory-store.ts";
import type { SessionStore } from "../../../src/conversation/session-store.ts";
import type { EntryTreeNode } from "../../../src/protocol/entries.ts";
import type { AgentSession } from "../../../src/session/agent-session.ts";
import { createGate, throughGate } from "../../helpers/gate.ts";
import { openSession } from "../../helpers/sessions.ts";
import { SlowStore } from "../../helpers/slow-store.ts";
import { readLines, useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

/** Answers every question with the words that it ends in. */
function echo() {
  return createScriptedModel({
    script: ({ messages }) => {
      const last = messages.findLast(({ role }) => role === "user");
      return { text: `re ${typeof last?.content === "string" ? last.content : "?"}` };
    },
  });
}

function texts(session: AgentSession): string[] {
  return session.messages.map((message) => {
    const content = "content" in message ? message.content : "";
    return typeof content === "string" ? content : content.map((block) => ("text" in block ? block.text : block.type)).join();
  });
}

/** The messages of a tree, each with those that follow it. */
function outline(nodes: readonly EntryTreeNode[]): unknown[] {
  return nodes.flatMap(({ entry, children }) => {
    if (entry.type !== "message" || entry.message.role !== "user") return outline(children);
    return [[entry.message.content, ...outline(children)]];
  });
}

const stores: [string, () => SessionStore][] = [
  ["files", () => new FileSessionStore(`${workspace.root}/sessions`)],
  ["memory", () => new MemorySessionStore()],
  ["a store that answers later", () => new SlowStore()],
];

describe.each(stores)("SE-011 SE-013 SE-014 in %s", (_name, createStore) => {
  test("a session goes back, is forked and copied, and each way is found again under its own id", async () => {
    const store = createStore();
    const { session } = await openSession(workspace, { store, model: echo() });
    for (const text of ["one", "two", "three"]) await session.prompt(text);
    const first = session.sessionId;
    const points = await session.history.branchPoints();
    expect(points.map(({ text }) => text)).toEqual(["one", "two", "three"]);

    const [, two, three] = points.map(({ entryId }) => entryId) as [string, string, string];
    expect(await session.history.branch(two)).toBe("two");
    expect(texts(session)).toEqual(["one", "re one"]);
    await session.prompt("instead");
    expect(texts(session)).toEqual(["one", "re one", "instead", "re instead"]);
    expect(outline(await session.history.tree())).toEqual([["one", ["two", ["three"]], ["instead"]]]);
    await expect(session.history.branch(three)).rejects.toMatchObject({ code: "not_found" });

    expect(await session.history.fork(three)).toBe("three");
    expect(texts(session)).toEqual(["one", "re one", "two", "re two"]);
    const fork = session.sessionId;
    await session.prompt("forked");
    await session.history.clone();
    const copy = session.sessionId;
    await session.prompt("copied");
    expect(outline(await session.history.tree())).toEqual([["one", ["two", ["forked", ["copied"]]]]]);
    expect(new Set([first, fork, copy]).size).toBe(3);

    const found = await store.list();
    expect(found.map(({ id }) => id)).toEqual([copy, fork, first]);
    await session.history.open(found.find(({ id }) => id === first)?.ref ?? "");
    expect(texts(session)).toEqual(["one", "re one", "instead", "re instead"]);
    await session.history.open(found.find(({ id }) => id === fork)?.ref ?? "");
    expect(texts(session)).toEqual(["one", "re one", "two", "re two", "forked", "re forked"]);
    await session.dispose();
  });

  test("names, labels and queued messages are there when the session is opened again, by its id", async () => {
    const store = createStore();
    const gate = createGate();
    const model = createScriptedModel({ script: [throughGate, { text: "done" }] });
    const { session } = await openSession(workspace, { store, model, session: { id: "mine" }, customTools: [gate.tool] });
    const { settled } = await session.submit("one");
    await gate.reached;
    await session.queue("steer", { text: "steered" });
    await session.queue("followUp", { text: "followed" });
    await session.history.setName("a\nname");
    const [first] = await session.history.branchPoints();
    await session.history.setLabel(first?.entryId ?? "", "start");
    await session.abort();
    await settled;
    await session.dispose();

    const { session: again } = await openSession(workspace, { store, model: echo(), session: { id: "mine" } });
    expect(again.state()).toMatchObject({ sessionName: "a name" });
    expect(again.queues.texts).toEqual({ steering: ["steered"], followUp: ["followed"] });
    expect((await again.history.tree()).flatMap(findLabels)).toEqual(["start"]);
    await again.prompt("go");
    const said = again.messages.flatMap((message) => (message.role === "user" ? [message.content] : []));
    expect(said).toEqual(["one", "steered", "go", "followed"]);
    await again.history.setLabel(first?.entryId ?? "");
    await again.dispose();

    const { session: third } = await openSession(workspace, { store, model: echo(), session: { id: "mine" } });
    expect(third.queues.texts).toEqual({ steering: [], followUp: [] });
    expect((await third.history.tree()).flatMap(findLabels)).toEqual([]);
    await third.dispose();
  });
});

function findLabels({ label, children }: EntryTreeNode): string[] {
  return [...(label === undefined ? [] : [label]), ...children.flatMap(findLabels)];
}

test("entries are given from one on and at most so many; one that is not there is named", async () => {
  const { session } = await openSession(workspace, { model: echo() });
  await session.prompt("one");
  const all = await session.history.entries();
  expect(all.map(({ type }) => type)).toEqual(["model_change", "thinking_level_change", "message", "message"]);
  expect(await session.history.entries({ since: all[1]?.id ?? "" })).toEqual(all.slice(2));
  expect(await session.history.entries({ since: all[0]?.id ?? "", limit: 2 })).toEqual(all.slice(1, 3));
  expect(await session.history.entries({ limit: 0 })).toEqual([]);
  expect(await session.history.entries({ since: all[3]?.id ?? "" })).toEqual([]);
  await expect(session.history.entries({ since: "gone" })).rejects.toMatchObject({ code: "not_found" });
  await expect(session.history.setLabel("gone", "x")).rejects.toMatchObject({ code: "not_found" });
  await expect(session.history.setName(" \n ")).rejects.toMatchObject({ code: "invalid_input" });
  expect(await session.history.entries()).toEqual(all);
});

test("SE-021 what was lost with a file that was cut off is told once, and the session goes on with its context", async () => {
  const { session, events } = await openSession(workspace, { model: echo() });
  await session.prompt("one");
  const [point] = await session.history.branchPoints();
  await session.history.branch(point?.entryId ?? "");
  await session.prompt("two");
  const path = session.sessionFile as string;
  const header = (await readFile(path, "utf8")).split("\n", 1)[0] ?? "";
  await truncate(path, Buffer.byteLength(header) + 1);
  await session.prompt("three");
  await session.prompt("four");
  const errors = events.flatMap((event) => (event.type === "error" ? [event.error] : []));
  expect(errors).toEqual([`2 entries of ${path} are lost: another program has truncated the file.`]);
  const stored = (await readLines(path)).flatMap(({ message }) => (message?.role === "user" ? [message.content] : []));
  expect(stored).toEqual(["two", "three", "four"]);
});

test("SC-004 SC-005 a session of a key and its fork are their owner's alone, and hold the key nowhere", async () => {
  const apiKey = "sk-a-key-that-is-secret";
  const { session } = await openSession(workspace, { model: echo(), apiKey });
  await session.prompt("one");
  await session.history.clone();
  await session.prompt("two");
  const paths = await workspace.sessionFiles();
  expect(paths).toHaveLength(2);
  for (const path of paths) expect(await readFile(path, "utf8")).not.toContain("secret");
});
