import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { FileSessionStore } from "../../src/conversation/file-store.ts";
import { MemorySessionStore } from "../../src/conversation/memory-store.ts";
import type { SessionStore } from "../../src/conversation/session-store.ts";
import { copyingStoreTests, describingStoreTests, sessionStoreTests } from "../../src/conversation/session-store-tests.ts";
import { SlowStore } from "../helpers/slow-store.ts";

async function createFileStore(): Promise<FileSessionStore> {
  const folder = await mkdtemp(join(tmpdir(), "pikit-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return new FileSessionStore(join(folder, "sessions"));
}

describe("files keep the contract of a SessionStore", () => {
  const reopen = (store: SessionStore) => new FileSessionStore((store as FileSessionStore).folder);
  for (const { name, run } of sessionStoreTests(createFileStore, { reopen })) test(name, run);
  for (const { name, run } of describingStoreTests(createFileStore)) test(name, run);
  for (const { name, run } of copyingStoreTests(createFileStore)) test(name, run);
});

describe("memory keeps the contract of a SessionStore", () => {
  for (const { name, run } of sessionStoreTests(() => new MemorySessionStore())) test(name, run);
});

describe("a store that answers later keeps the contract of a SessionStore", () => {
  for (const { name, run } of sessionStoreTests(() => new SlowStore())) test(name, run);
});

describe("a store that breaks a promise fails the test that is named after it", () => {
  /** The names of the tests that fail for a store in memory with one thing changed. */
  async function failuresOf(change: (store: SessionStore) => Partial<SessionStore>): Promise<string[]> {
    const createStore = (): SessionStore => {
      const store = new MemorySessionStore();
      const whole: SessionStore = {
        create: (header) => store.create(header),
        open: (ref, onEntry, options) => store.open(ref, onEntry, options),
        list: (filter) => store.list(filter),
        remove: (ref) => store.remove(ref),
      };
      return { ...whole, ...change(whole) };
    };
    const failed: string[] = [];
    for (const { name, run } of sessionStoreTests(createStore)) await run().catch(() => failed.push(name));
    return failed;
  }

  test("none without a change", async () => {
    expect(await failuresOf(() => ({}))).toEqual([]);
  });

  test.each<[string, string, (store: SessionStore) => Partial<SessionStore>]>([
    [
      "the list that ignores folders",
      "the list is narrowed by folder, by the beginning of the id, and by number",
      (store) => ({ list: ({ cwd: _cwd, ...filter } = {}) => store.list(filter) }),
    ],
    [
      "the list in the wrong order",
      "the list begins with the session that was appended to last, open or not",
      (store) => ({ list: async (filter) => (await store.list(filter)).reverse() }),
    ],
    ["sessions that stay", "a session that is removed is gone, and others stay", () => ({ remove() {} })],
    [
      "no lock",
      "a session that was opened is locked until its log is closed",
      (store) => ({ open: (ref, onEntry) => store.open(ref, onEntry, { readOnly: true }) }),
    ],
    [
      "entries in the wrong order",
      "header and entries come back in the order of appending, with all fields, known or not",
      (store) => ({
        open(ref, onEntry, options) {
          const entries: Parameters<typeof onEntry>[0][] = [];
          const opened = store.open(ref, (entry) => void entries.unshift(entry), options);
          entries.forEach(onEntry);
          return opened;
        },
      }),
    ],
    [
      "entries that are read in the order of appending",
      "entries are read by their ids, in the order asked for, from this append and from earlier ones",
      (store) => ({
        create(header) {
          const log = store.create(header);
          return { ...log, read: (ids) => log.read(ids.toSorted()) };
        },
      }),
    ],
  ])("%s", async (_name, title, change) => {
    expect(await failuresOf(change)).toContain(title);
  });
});
