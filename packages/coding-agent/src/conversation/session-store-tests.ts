import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import type { SessionEntry } from "./entries.ts";
import type { SessionStore } from "./session-store.ts";
import {
  append,
  begin,
  contentOf,
  fails,
  header,
  idsIn,
  ignore,
  keep,
  message,
  type SessionStoreTest,
  same,
  strangeEntries,
  timestamp,
} from "./store-test-tools.ts";

export { copyingStoreTests } from "./copying-store-tests.ts";
export { describingStoreTests } from "./describing-store-tests.ts";
export { sharedStoreTests } from "./shared-store-tests.ts";
export type { SessionStoreTest };

export interface SessionStoreTestOptions {
  /**
   * Creates a second object for the sessions of a store, as in another process. It is used to test that sessions and locks are in the store, not
   * in the object.
   */
  reopen?(store: SessionStore): SessionStore | Promise<SessionStore>;
}

/** Milliseconds between two appends with different times: more than the resolution of a file system's clock. */
const clockStep = 25;

type Check = (store: SessionStore) => Promise<void>;

/**
 * Returns the contract of `SessionStore` as tests, for any test runner:
 * `for (const { name, run } of sessionStoreTests(createStore)) test(name, run)`.
 *
 * @param createStore - Creates an empty store; called once per test.
 */
export function sessionStoreTests(
  createStore: () => SessionStore | Promise<SessionStore>,
  { reopen }: SessionStoreTestOptions = {},
): SessionStoreTest[] {
  const tests = Object.entries(checks).map(([name, check]) => ({ name, run: async () => check(await createStore()) }));
  if (!reopen) return tests;
  const shared = Object.entries(sharedChecks).map(([name, check]) => ({
    name,
    run: async () => {
      const store = await createStore();
      await check(store, await reopen(store));
    },
  }));
  return [...tests, ...shared];
}

const checks: Readonly<Record<string, Check>> = {
  async "a session that nothing was appended to is not there"(store) {
    const log = store.create(header("s-1"));
    assert.deepEqual(await store.list(), []);
    await fails("not_found", () => store.open(log.ref, ignore));
    await log.close();
    assert.deepEqual(await store.list(), []);
  },

  async "header and entries come back in the order of appending, with all fields, known or not"(store) {
    const written = { ...header("s-1"), parentSession: "earlier", origin: { imported: true } };
    const log = store.create(written);
    const entries = strangeEntries();
    await append(log, [written, ...entries.slice(0, 3)]);
    await append(log, entries.slice(3, 4));
    await append(log, entries.slice(4));
    await log.close();
    const found = await contentOf(store, log.ref);
    same(found.header, written);
    same(found.entries, entries);
  },

  async "an append of many entries, and one of a large one, are kept whole"(store) {
    const many = Array.from({ length: 3000 }, (_, n) => message(`many ${n}`, n === 0 ? null : `many ${n - 1}`));
    const large = message("large", "many 2999", "€".repeat(2_000_000));
    const log = await begin(store, "s-1", many);
    await append(log, [large]);
    await log.close();
    same((await contentOf(store, log.ref)).entries, [...many, large]);
  },

  async "entries are read by their ids, in the order asked for, from this append and from earlier ones"(store) {
    const [one, two, three, four] = [message("1"), message("2"), message("3"), message("4")];
    const log = await begin(store, "s-1", [one, two]);
    same(await log.read(["2", "1"]), [two, one]);
    await log.close();
    const opened = await store.open(log.ref, ignore);
    await append(opened.log, [three]);
    await append(opened.log, [four]);
    same(await opened.log.read(["4", "1", "3", "2", "4"]), [four, one, three, two, four]);
    assert.deepEqual(await opened.log.read([]), []);
    await opened.log.close();
  },

  async "reading an entry that is not there fails, and leaves the session as it is"(store) {
    const log = await begin(store, "s-1", [message("1")]);
    await fails("read_failed", () => log.read(["1", "2"]));
    await fails("read_failed", () => log.read(["__proto__"]));
    await append(log, [message("2")]);
    same(await log.read(["2"]), [message("2")]);
    await log.close();
  },

  async "sessions do not share entries"(store) {
    const first = await begin(store, "s-1", [message("1", null, "first"), message("2")]);
    const second = await begin(store, "s-2", [message("1", null, "second")]);
    same(await first.read(["1"]), [message("1", null, "first")]);
    same(await second.read(["1"]), [message("1", null, "second")]);
    await fails("read_failed", () => second.read(["2"]));
    await first.close();
    await second.close();
    assert.equal((await contentOf(store, second.ref)).entries.length, 1);
  },

  async "a session that is not there is not opened"(store) {
    await fails("not_found", () => store.open("no-such-session", ignore));
    await fails("not_found", () => store.open("no-such-session", ignore, { readOnly: true }));
  },

  async "a session that was begun is locked until its log is closed"(store) {
    const log = await begin(store, "s-1", [message("1")]);
    await fails("locked", () => store.open(log.ref, ignore));
    await append(log, [message("2")]);
    await fails("locked", () => store.open(log.ref, ignore));
    await log.close();
    const opened = await store.open(log.ref, ignore);
    await opened.log.close();
  },

  async "a session that was opened is locked until its log is closed"(store) {
    const ref = await keep(store, "s-1", [message("1")]);
    const { log } = await store.open(ref, ignore);
    await fails("locked", () => store.open(ref, ignore));
    await log.close();
    const again = await store.open(ref, ignore);
    await again.log.close();
  },

  async "an open that fails leaves no lock"(store) {
    const ref = await keep(store, "s-1", [message("1")]);
    await assert.rejects(async () => {
      await store.open(ref, () => {
        throw new Error("from onEntry");
      });
    });
    const { log } = await store.open(ref, ignore);
    await log.close();
  },

  async "a session is read without its lock while it is written, and cannot be appended to so"(store) {
    const writer = await begin(store, "s-1", [message("1")]);
    const found: SessionEntry[] = [];
    const reader = await store.open(writer.ref, (entry) => void found.push(entry), { readOnly: true });
    same(reader.header, header("s-1"));
    same(found, [message("1")]);
    same(await reader.log.read(["1"]), [message("1")]);
    await fails("write_failed", () => append(reader.log, [message("2")]));
    await reader.log.close();
    await fails("locked", () => store.open(writer.ref, ignore));
    await append(writer, [message("3")]);
    await writer.close();
    same((await contentOf(store, writer.ref)).entries, [message("1"), message("3")]);
  },

  async "a log that is closed twice does not let go of what somebody else has opened"(store) {
    const first = await begin(store, "s-1", [message("1")]);
    await first.close();
    await first.close();
    const second = await store.open(first.ref, ignore);
    await first.close();
    await fails("locked", () => store.open(first.ref, ignore));
    await second.log.close();
  },

  async "an append after close is kept, and the session is open to others"(store) {
    const log = await begin(store, "s-1", [message("1")]);
    await log.close();
    await append(log, [message("2")]);
    const found: SessionEntry[] = [];
    const opened = await store.open(log.ref, (entry) => void found.push(entry));
    same(found, [message("1"), message("2")]);
    await opened.log.close();
  },

  async "an append after close fails whole while somebody else has the session open"(store) {
    const log = await begin(store, "s-1", [message("1")]);
    await log.close();
    const other = await store.open(log.ref, ignore);
    await fails("locked", () => append(log, [message("2"), message("3")]));
    await append(other.log, [message("4")]);
    await other.log.close();
    same((await contentOf(store, log.ref)).entries, [message("1"), message("4")]);
  },

  async "nothing is damaged in what was written without fault"(store) {
    const log = await begin(store, "s-1", [message("1")]);
    await append(log, [message("2")]);
    assert.deepEqual(log.diagnostics, []);
    await log.close();
    const { log: reader } = await store.open(log.ref, ignore, { readOnly: true });
    assert.deepEqual(reader.diagnostics, []);
    assert.equal(reader.ref, log.ref);
    assert.equal(reader.path, log.path);
    await reader.close();
  },

  async "the list tells what the headers say, when was appended last, and what opens the session"(store) {
    const before = Date.now();
    const ref = await keep(store, "s-1", [message("1")], { parentSession: "earlier" });
    const [info, ...others] = await store.list();
    assert.deepEqual(others, []);
    assert.ok(info);
    const { modifiedMs, ref: listed, ...rest } = info;
    assert.deepEqual(rest, { id: "s-1", cwd: "/work", createdAt: timestamp, parentSession: "earlier" });
    assert.ok(modifiedMs > before - 5000 && modifiedMs < Date.now() + 5000, `modifiedMs is ${modifiedMs}`);
    same(await contentOf(store, listed), await contentOf(store, ref));
    await keep(store, "s-2", [message("1")]);
    assert.equal("parentSession" in ((await store.list({ idPrefix: "s-2" }))[0] ?? {}), false);
  },

  async "the list begins with the session that was appended to last, open or not"(store) {
    const first = await begin(store, "s-1", [message("1")]);
    await wait(clockStep);
    await keep(store, "s-2", [message("1")]);
    await wait(clockStep);
    await keep(store, "s-3", [message("1")]);
    assert.deepEqual(await idsIn(store), ["s-3", "s-2", "s-1"]);
    await wait(clockStep);
    await append(first, [message("2")]);
    assert.deepEqual(await idsIn(store), ["s-1", "s-3", "s-2"]);
    await first.close();
    assert.deepEqual(await idsIn(store), ["s-1", "s-3", "s-2"]);
  },

  async "the list is narrowed by folder, by the beginning of the id, and by number"(store) {
    for (const [id, cwd] of [
      ["ab", "/work"],
      ["abc", "/work"],
      ["abd", "/work/sub"],
      ["b", "/work"],
    ] as const) {
      await keep(store, id, [message("1")], { cwd });
      await wait(clockStep);
    }
    assert.deepEqual(await idsIn(store, { cwd: "/work" }), ["b", "abc", "ab"]);
    assert.deepEqual(await idsIn(store, { cwd: "/wor" }), []);
    assert.deepEqual(await idsIn(store, { idPrefix: "a" }), ["abd", "abc", "ab"]);
    assert.deepEqual(await idsIn(store, { idPrefix: "ab" }), ["ab"]);
    assert.deepEqual(await idsIn(store, { idPrefix: "c" }), []);
    assert.deepEqual(await idsIn(store, { idPrefix: "%" }), []);
    assert.deepEqual(await idsIn(store, { idPrefix: "a_" }), []);
    assert.deepEqual(await idsIn(store, { idPrefix: "" }), ["b", "abd", "abc", "ab"]);
    assert.deepEqual(await idsIn(store, { limit: 2 }), ["b", "abd"]);
    assert.deepEqual(await idsIn(store, { cwd: "/work", idPrefix: "a", limit: 1 }), ["abc"]);
  },

  async "a session that is removed is gone, and others stay"(store) {
    const ref = await keep(store, "s-1", [message("1")]);
    await keep(store, "s-2", [message("1")]);
    await store.remove(ref);
    await store.remove(ref);
    await fails("not_found", () => store.open(ref, ignore));
    assert.deepEqual(await idsIn(store), ["s-2"]);
    const again = await keep(store, "s-1", [message("2")]);
    same((await contentOf(store, again)).entries, [message("2")]);
  },

  async "a session that is open is not removed"(store) {
    const log = await begin(store, "s-1", [message("1")]);
    await fails("locked", () => store.remove(log.ref));
    await append(log, [message("2")]);
    await log.close();
    same((await contentOf(store, log.ref)).entries, [message("1"), message("2")]);
  },
};

const sharedChecks: Readonly<Record<string, (store: SessionStore, other: SessionStore) => Promise<void>>> = {
  async "what was appended is there for another process"(store, other) {
    const log = await begin(store, "s-1", [message("1")]);
    await append(log, [message("2")]);
    same((await contentOf(other, log.ref)).entries, [message("1"), message("2")]);
    assert.deepEqual(await idsIn(other), ["s-1"]);
    await log.close();
  },

  async "a lock keeps another process out"(store, other) {
    const log = await begin(store, "s-1", [message("1")]);
    await fails("locked", () => other.open(log.ref, ignore));
    await fails("locked", () => other.remove(log.ref));
    await log.close();
    const opened = await other.open(log.ref, ignore);
    await fails("locked", () => store.open(log.ref, ignore));
    await fails("locked", () => append(log, [message("2")]));
    await append(opened.log, [message("3")]);
    await opened.log.close();
    same((await contentOf(store, log.ref)).entries, [message("1"), message("3")]);
  },
};
