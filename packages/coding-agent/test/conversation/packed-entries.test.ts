import { until } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { Conversation } from "../../src/conversation/conversation.ts";
import type { SessionEntry } from "../../src/conversation/entries.ts";
import { MemorySessionStore } from "../../src/conversation/memory-store.ts";
import { packEntries } from "../../src/conversation/pack-entries.ts";
import { EntryUnpacker, type PackedEntry } from "../../src/conversation/packed-entries.ts";
import { assistantMessage, userMessage } from "../helpers/messages.ts";
import { entriesOf, textsOf } from "./helpers.ts";

const timestamp = "2026-01-01T00:00:00.000Z";

function entry(n: number, text: string): SessionEntry {
  return { type: "message", id: String(n), parentId: null, timestamp, message: userMessage(text) };
}

async function pack(entries: readonly SessionEntry[]): Promise<Map<string, PackedEntry>> {
  const packed = new Map<string, PackedEntry>();
  await packEntries(entries, ({ id }, place) => void packed.set(id, place));
  return packed;
}

test("packed entries are read as they were, in any order, in a part of the space", async () => {
  const texts = ["€ and \u2028 and 😀\n", 'const a = "b";\n', "x"];
  const entries = Array.from({ length: 300 }, (_, n) => entry(n, (texts[n % 3] as string).repeat(1 + ((n * 37) % 400))));
  entries.push(entry(300, "A long one. ".repeat(200_000)));
  const packed = await pack(entries);
  const unpacker = new EntryUnpacker();
  const read = (each: SessionEntry) => unpacker.read(packed.get(each.id) as PackedEntry);
  expect(entries.map(read)).toEqual(entries);
  expect(entries.toReversed().map(read)).toEqual(entries.toReversed());
  const portions = new Set([...packed.values()].map(({ portion }) => portion));
  const bytes = [...portions].reduce((sum, data) => sum + data.buffer.byteLength, 0);
  expect(bytes).toBeLessThan(JSON.stringify(entries).length / 10);
});

test("a few short entries are not packed", async () => {
  expect(await pack([entry(0, "one"), entry(1, "two")])).toEqual(new Map());
});

test("a session in memory has the entries that a compaction replaced packed, and says the same as before", async () => {
  const conversation = Conversation.create(new MemorySessionStore(), { cwd: "/work" });
  // As a program's own tool may leave it: no JSON.
  const strange = assistantMessage("strange", { usage: { input: 10n } as never });
  for (let n = 0; n < 50; n += 1) await conversation.appendMessage(userMessage(`${n} `.repeat(1000)));
  await conversation.appendMessage(strange);
  await conversation.appendMessage(userMessage("kept"));
  const before = await entriesOf(conversation);
  const firstKeptEntryId = conversation.leafId as string;
  await conversation.append({ type: "compaction", summary: "so far", firstKeptEntryId, tokensBefore: 1 });
  // Another object for each reading tells that the entry is packed.
  const readFirst = async () => (await conversation.read(conversation.nodes.slice(0, 1)))[0];
  await until("the entry is packed", async () => (await readFirst()) !== before[0]);
  expect(await textsOf(conversation)).toEqual(["compactionSummary", "kept"]);
  expect((await entriesOf(conversation)).slice(0, 50)).toEqual(before.slice(0, 50));
  expect((await entriesOf(conversation))[50]).toMatchObject({ message: { role: "assistant", content: [{ text: "strange" }] } });

  conversation.moveTo(conversation.nodes[49]?.id ?? null);
  expect(await textsOf(conversation)).toHaveLength(50);
  await conversation.appendMessage(userMessage("another way"));
  expect(await textsOf(conversation)).toHaveLength(51);
});
