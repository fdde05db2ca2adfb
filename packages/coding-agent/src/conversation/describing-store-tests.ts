import assert from "node:assert/strict";
import type { SessionEntry } from "./entries.ts";
import type { DescribingStore } from "./session-store.ts";
import { append, begin, keep, message, type SessionStoreTest, strangeEntries, timestamp } from "./store-test-tools.ts";

/**
 * Returns the contract of `DescribingStore` as tests, in addition to `sessionStoreTests`.
 *
 * @param createStore - Creates an empty store; called once per test.
 */
export function describingStoreTests(createStore: () => DescribingStore | Promise<DescribingStore>): SessionStoreTest[] {
  return Object.entries(checks).map(([name, check]) => ({ name, run: async () => check(await createStore()) }));
}

const nothing = { isInterrupted: false };

const checks: Readonly<Record<string, (store: DescribingStore) => Promise<void>>> = {
  async "sessions are described in the order of the refs"(store) {
    const one = await keep(store, "s-1", [message("1", null, "first"), name("2", "A trip")]);
    const two = await keep(store, "s-2", [name("1", "Empty")]);
    assert.deepEqual(await store.describe([two, one]), [
      { ...nothing, name: "Empty" },
      { name: "A trip", firstPrompt: "first", isInterrupted: true },
    ]);
    assert.deepEqual(await store.describe([one]), [{ name: "A trip", firstPrompt: "first", isInterrupted: true }]);
    assert.deepEqual(await store.describe([]), []);
  },

  async "the last name counts, and the first prompt with a text"(store) {
    const image = { type: "image", data: "aGVsbG8=", mimeType: "image/png" };
    const ref = await keep(store, "s-1", [
      name("1", "first name"),
      user("2", [image]),
      user("3", [image, { type: "text", text: "What is this?" }, { type: "text", text: "Say it." }]),
      answer("4", "stop"),
      name("5", "last name"),
      message("6", "5", "Another prompt"),
      answer("7", "stop"),
    ]);
    assert.deepEqual(await store.describe([ref]), [{ name: "last name", firstPrompt: "What is this?", isInterrupted: false }]);
  },

  async "of a long prompt, the beginning is enough"(store) {
    const text = "€ word ".repeat(20_000);
    const ref = await keep(store, "s-1", [message("1", null, text)]);
    const [{ firstPrompt = "" } = nothing as { firstPrompt?: string }] = await store.describe([ref]);
    assert.ok(text.startsWith(firstPrompt), "the first prompt is not the beginning of the text");
    assert.ok(firstPrompt.length >= 100, `the first prompt has ${firstPrompt.length} characters`);
  },

  async "a session is interrupted while its last message has no answer"(store) {
    const log = await begin(store, "s-1", [message("1")]);
    const steps: [SessionEntry, boolean][] = [
      [answer("2", "toolUse"), true],
      [toolResult("3"), true],
      [answer("4", "stop"), false],
      [name("5", "of no influence"), false],
      [message("6"), true],
      [answer("7", "aborted"), false],
      [message("8"), true],
      [answer("9", "error"), false],
    ];
    assert.equal((await store.describe([log.ref]))[0]?.isInterrupted, true);
    for (const [entry, isInterrupted] of steps) {
      await append(log, [entry]);
      assert.equal((await store.describe([log.ref]))[0]?.isInterrupted, isInterrupted, `after the entry ${entry.id}`);
    }
    await log.close();
    const { log: again } = await store.open(log.ref, () => {});
    await append(again, [message("10"), answer("11", "toolUse")]);
    await again.close();
    assert.deepEqual(await store.describe([log.ref]), [{ name: "of no influence", firstPrompt: "text 1", isInterrupted: true }]);
  },

  async "entries of any kind do not disturb, and a session that is not there has an empty description"(store) {
    const ref = await keep(store, "s-1", [...strangeEntries(), message("last", null, "last")]);
    await store.remove(await keep(store, "s-2", [message("1")]));
    const gone = await keep(store, "s-3", [message("1")]);
    await store.remove(gone);
    const [first, second] = await store.describe([ref, gone]);
    assert.equal(first?.isInterrupted, true);
    assert.ok(first?.firstPrompt?.startsWith("line\nbreaks"));
    assert.deepEqual(second, nothing);
  },
};

function user(id: string, content: unknown): SessionEntry {
  return { type: "message", id, parentId: null, timestamp, message: { role: "user", content, timestamp: 1 } } as SessionEntry;
}

function answer(id: string, stopReason: string): SessionEntry {
  const content = [{ type: "text", text: "An answer." }];
  return { type: "message", id, parentId: null, timestamp, message: { role: "assistant", content, stopReason } } as never;
}

function toolResult(id: string): SessionEntry {
  return { type: "message", id, parentId: null, timestamp, message: { role: "toolResult", content: [] } } as never;
}

function name(id: string, text: string): SessionEntry {
  return { type: "session_info", id, parentId: null, timestamp, name: text };
}
