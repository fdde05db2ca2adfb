import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileSessionStore } from "../../src/conversation/file-store.ts";
import { forkConversation } from "../../src/conversation/fork.ts";
import { readTree } from "../../src/conversation/read-tree.ts";
import type { EntryTreeNode } from "../../src/protocol/entries.ts";
import { encodeLine } from "../../src/protocol/jsonl.ts";
import { userMessage } from "../helpers/messages.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { openToWrite } from "./helpers.ts";

const workspace = useWorkspace();
const timestamp = "2026-01-01T00:00:00.000Z";
const idOf = (n: number) => n.toString(16).padStart(8, "0");

function line(id: string, parentId: string | null): string {
  return `${JSON.stringify({ type: "message", id, parentId, timestamp, message: userMessage(id) })}\n`;
}

async function openEntries(lines: readonly string[]): ReturnType<typeof openToWrite> {
  const path = join(workspace.root, "session.jsonl");
  await writeFile(path, `${JSON.stringify({ type: "session", version: 3, id: "s", timestamp, cwd: "/work" })}\n${lines.join("")}`);
  return openToWrite(path);
}

function depthOf(roots: readonly EntryTreeNode[]): number {
  let depth = 0;
  for (let level: readonly EntryTreeNode[] = roots; level.length > 0; level = level.flatMap(({ children }) => children)) depth += 1;
  return depth;
}

test("SE-010 a branch of 100,000 entries is loaded, read, forked and shown as a tree without recursion", async () => {
  const count = 100_000;
  const conversation = await openEntries(Array.from({ length: count }, (_, n) => line(idOf(n), n === 0 ? null : idOf(n - 1))));
  const { messages } = await conversation.readContext();
  expect(messages).toHaveLength(count);
  expect(messages.at(-1)).toEqual(userMessage(idOf(count - 1)));
  expect(conversation.activeBranch()).toHaveLength(count);

  const roots = await readTree(conversation);
  expect(roots).toHaveLength(1);
  expect(depthOf(roots)).toBe(count);
  const json = encodeLine(roots);
  expect(json.match(/"children":\[/g)).toHaveLength(count);
  expect(json.endsWith(`"children":[]${"}]".repeat(count)}\n`)).toBe(true);

  const store = new FileSessionStore(join(workspace.root, "sessions"));
  const fork = await forkConversation({ store, source: conversation, leafId: idOf(count - 2), cwd: "/work" });
  expect(fork.nodes).toHaveLength(count - 1);
  expect((await fork.readContext()).messages).toHaveLength(count - 1);
  await fork.close();
});

test("SE-010 100,000 entries that each come before their parent are a path, and each of them is a root of the tree", async () => {
  const count = 100_000;
  const lines = Array.from({ length: count }, (_, n) => line(idOf(n), n === count - 1 ? null : idOf(n + 1)));
  const conversation = await openEntries(lines);
  conversation.moveTo(idOf(0));
  expect((await conversation.readContext()).messages).toHaveLength(count);
  expect(await readTree(conversation)).toHaveLength(count);
});

test("a cycle ends at its first repeated entry, wherever it is entered; in the tree its first entry is a root", async () => {
  const conversation = await openEntries([line("a", "c"), line("b", "a"), line("c", "b"), line("d", "b"), line("e", "e")]);
  const pathTo = (id: string) => conversation.pathTo(id).map((node) => node.id);
  expect(pathTo("c")).toEqual(["a", "b", "c"]);
  expect(pathTo("a")).toEqual(["b", "c", "a"]);
  expect(pathTo("d")).toEqual(["c", "a", "b", "d"]);
  expect(pathTo("e")).toEqual(["e"]);
  expect(pathTo("missing")).toEqual([]);
  const outline = (nodes: readonly EntryTreeNode[]): unknown => nodes.map(({ entry, children }) => [entry.id, outline(children)]);
  expect(outline(await readTree(conversation))).toEqual([
    [
      "a",
      [
        [
          "b",
          [
            ["c", []],
            ["d", []],
          ],
        ],
      ],
    ],
    ["e", []],
  ]);
});

test("SC-011 ids, labels, types and keys like __proto__ are names like others", async () => {
  const entries = [
    line("__proto__", null),
    line("constructor", "__proto__"),
    '{"type":"custom","id":"toString","parentId":"constructor","timestamp":"x","customType":"__proto__","data":{"__proto__":{"polluted":true}}}\n',
    '{"type":"label","id":"valueOf","parentId":"toString","timestamp":"x","targetId":"__proto__","label":"__proto__"}\n',
    '{"type":"__proto__","id":"x","parentId":"valueOf","timestamp":"x","__proto__":{"polluted":true}}\n',
  ];
  const conversation = await openEntries(entries);
  expect((await conversation.readContext()).messages).toEqual([userMessage("__proto__"), userMessage("constructor")]);
  expect(conversation.labels.get("__proto__")?.label).toBe("__proto__");
  expect(JSON.stringify(await conversation.readCustom("__proto__"))).toBe('{"__proto__":{"polluted":true}}');
  expect(await conversation.readCustom("hasOwnProperty")).toBeUndefined();
  const [root] = await readTree(conversation);
  expect(root).toMatchObject({ label: "__proto__", entry: { id: "__proto__" } });
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  const read = await conversation.read(conversation.nodes);
  expect(read.map((entry) => `${JSON.stringify(entry)}\n`)).toEqual(entries);
});
