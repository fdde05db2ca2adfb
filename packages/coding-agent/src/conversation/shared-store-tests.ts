import assert from "node:assert/strict";
import type { SharedStore } from "./session-store.ts";
import { append, begin, fails, ignore, keep, message, type SessionStoreTest } from "./store-test-tools.ts";

/**
 * Returns the contract of `SharedStore` as tests, in addition to `sessionStoreTests` and `describingStoreTests`.
 *
 * @param createStores - Creates an empty store and returns two objects for it, as of two processes; called once per test.
 */
export function sharedStoreTests(
  createStores: () => readonly [SharedStore, SharedStore] | Promise<readonly [SharedStore, SharedStore]>,
): SessionStoreTest[] {
  return Object.entries(checks).map(([name, check]) => ({ name, run: async () => check(...(await createStores())) }));
}

const checks: Readonly<Record<string, (store: SharedStore, other: SharedStore) => Promise<void>>> = {
  async "a session that is open has a holder, which all can ask for"(store, other) {
    store.announce("http://10.0.0.5:4711");
    const log = await begin(store, "s-1", [message("1")]);
    for (const each of [store, other]) {
      assert.deepEqual(await each.holderOf("s-1"), { address: "http://10.0.0.5:4711" });
      assert.equal(await each.holderOf("s-2"), undefined);
    }
    await log.close();
    for (const each of [store, other]) assert.equal(await each.holderOf("s-1"), undefined);
  },

  async "a holder without an address is told as such; its address can come later"(store, other) {
    const ref = await keep(store, "s-1", [message("1")]);
    const { log } = await store.open(ref, ignore);
    assert.deepEqual(await other.holderOf("s-1"), { address: null });
    store.announce("http://one");
    store.announce("http://two");
    // The store object that announces knows it at once; the others with what it stores next.
    assert.deepEqual(await store.holderOf("s-1"), { address: "http://two" });
    await append(log, [message("2")]);
    assert.deepEqual(await other.holderOf("s-1"), { address: "http://two" });
    await log.close();
  },

  async "the holder changes with the lock"(store, other) {
    store.announce("http://one");
    other.announce("http://two");
    const log = await begin(store, "s-1", [message("1")]);
    await fails("locked", () => other.open(log.ref, ignore));
    assert.deepEqual(await other.holderOf("s-1"), { address: "http://one" });
    await log.close();
    const opened = await other.open(log.ref, ignore);
    assert.deepEqual(await store.holderOf("s-1"), { address: "http://two" });
    await opened.log.close();
    assert.equal(await store.holderOf("s-1"), undefined);
  },

  async "the holders of many sessions are told in the order of the ids, whatever ids are asked for"(store, other) {
    store.announce("http://one");
    other.announce("http://two");
    const [first, third] = [await begin(store, "s-1", [message("1")]), await begin(other, "s-3", [message("1")])];
    await keep(store, "s-2", [message("1")]);
    const [one, two] = [{ address: "http://one" }, { address: "http://two" }];
    for (const each of [store, other]) {
      assert.deepEqual(await each.holdersOf(["s-3", "s-2", "none", "s-1", "s-3"]), [two, undefined, undefined, one, two]);
      assert.deepEqual(await each.holdersOf([]), []);
    }
    await first.close();
    await third.close();
    assert.deepEqual(await store.holdersOf(["s-1", "s-3"]), [undefined, undefined]);
  },

  async "reading a session makes nobody its holder"(store, other) {
    const ref = await keep(store, "s-1", [message("1")]);
    const { log } = await store.open(ref, ignore, { readOnly: true });
    assert.equal(await other.holderOf("s-1"), undefined);
    await log.close();
  },

  async "what is kept about a session is there for all, also before the session is stored"(store, other) {
    assert.equal(await store.readKept("s-1"), undefined);
    const first = { options: { readOnly: true, tools: ["read"] }, text: "€ \u2028 \\ \" '" };
    await store.writeKept("s-1", first);
    assert.deepEqual(await other.readKept("s-1"), first);
    await keep(store, "s-1", [message("1")]);
    await other.writeKept("s-1", { options: {} });
    assert.deepEqual(await store.readKept("s-1"), { options: {} });
    assert.equal(await store.readKept("s-"), undefined);
    await store.writeKept("s-1", undefined);
    await store.writeKept("s-1", undefined);
    assert.equal(await other.readKept("s-1"), undefined);
  },
};
