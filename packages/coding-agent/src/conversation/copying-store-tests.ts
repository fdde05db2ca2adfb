import assert from "node:assert/strict";
import type { CopyingStore } from "./session-store.ts";
import {
  append,
  begin,
  brand,
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

/**
 * Returns the contract of `CopyingStore` as tests, in addition to `sessionStoreTests`.
 *
 * @param createStore - Creates an empty store; called once per test.
 */
export function copyingStoreTests(createStore: () => CopyingStore | Promise<CopyingStore>): SessionStoreTest[] {
  return Object.entries(checks).map(([name, check]) => ({ name, run: async () => check(await createStore()) }));
}

const checks: Readonly<Record<string, (store: CopyingStore) => Promise<void>>> = {
  async "the lines of a session are its header and its entries, one line each"(store) {
    const written = { ...header("s-1"), parentSession: "earlier", origin: { imported: true } };
    const log = store.create(written);
    const entries = strangeEntries();
    await append(log, [written, ...entries]);
    await log.close();
    const lines = await linesOf(store, log.ref);
    same(
      lines.map((line) => JSON.parse(line)),
      [written, ...entries],
    );
    assert.ok(!lines.some((line) => line.includes("\n")), "a line has a line break");
  },

  async "a session that is stored from lines has exactly these lines"(store) {
    const lines = oddLines("s-1");
    const ref = await store.writeLines(portions(lines.slice(0, 1), [], lines.slice(1, 3), lines.slice(3)));
    assert.deepEqual(await linesOf(store, ref), lines);
    assert.deepEqual(await idsIn(store), ["s-1"]);
    const { entries, header: found } = await contentOf(store, ref);
    assert.equal(found.cwd, "/work");
    assert.deepEqual(
      entries.map(({ id }) => id),
      lines.slice(1).map((line) => (JSON.parse(line) as { id: string }).id),
    );
  },

  async "it is a session like others: it can be opened, read and continued"(store) {
    const ref = await store.writeLines(portions(oddLines("s-1")));
    const { log } = await store.open(ref, ignore);
    await fails("locked", () => store.open(ref, ignore));
    same(await log.read(["b"]), [JSON.parse(oddLines("s-1")[2] as string)]);
    await append(log, [message("z", "b")]);
    await log.close();
    const lines = await linesOf(store, ref);
    assert.deepEqual(lines.slice(0, -1), oddLines("s-1"));
    same(JSON.parse(lines.at(-1) as string), message("z", "b"));
  },

  async "many lines, and a large one, are copied whole"(store) {
    const many = Array.from({ length: 6000 }, (_, n) => JSON.stringify(message(`many ${n}`, n === 0 ? null : `many ${n - 1}`)));
    const lines = [JSON.stringify(header("s-1")), ...many, JSON.stringify(message("large", "many 5999", "€".repeat(2_000_000)))];
    const ref = await store.writeLines(portions(lines.slice(0, 1000), lines.slice(1000)));
    assert.deepEqual(await linesOf(store, ref), lines);
  },

  async "a session with the same id is not replaced"(store) {
    const ref = await keep(store, "s-1", [message("1")]);
    const other = [JSON.stringify({ ...header("s-1"), timestamp: "2026-05-05T05:05:05.555Z" }), JSON.stringify(message("2"))];
    await fails("write_failed", () => store.writeLines(portions(other)));
    assert.deepEqual(await idsIn(store), ["s-1"]);
    same((await contentOf(store, ref)).entries, [message("1")]);
  },

  async "lines that end with an error, or have something else than entries, store nothing"(store) {
    const lines = oddLines("s-1");
    const broken = Object.assign(new Error("line 7 is damaged"), { [brand]: "session", code: "read_failed" });
    await fails("read_failed", () => store.writeLines(failingAfter(lines, broken)));
    const bad = [[], ["{}"], [lines[1] as string], [...lines, "not JSON"], [...lines, "[]"], [...lines, '{"id":"c",\n"type":"x"}']];
    for (const each of bad) await assert.rejects(async () => void (await store.writeLines(portions(each))));
    assert.deepEqual(await idsIn(store), []);
    await store.writeLines(portions(lines));
    assert.deepEqual(await idsIn(store), ["s-1"]);
  },

  async "a session is read while it is written: the lines are those of one moment"(store) {
    const many = Array.from({ length: 3000 }, (_, n) => message(`many ${n}`, null, "text ".repeat(100)));
    const log = await begin(store, "s-1", many);
    const reader = store.readLines(log.ref)[Symbol.asyncIterator]();
    const lines = [...((await reader.next()).value ?? [])];
    await append(log, [message("later", "many 2999")]);
    for (let next = await reader.next(); !next.done; next = await reader.next()) lines.push(...next.value);
    assert.equal(lines.length, 3001);
    assert.equal((await linesOf(store, log.ref)).length, 3002);
    await log.close();
  },

  async "reading can be left before its end"(store) {
    const ref = await keep(store, "s-1", [message("1"), message("2")]);
    for await (const lines of store.readLines(ref)) {
      assert.ok(lines.length > 0);
      break;
    }
    await store.remove(ref);
    assert.deepEqual(await idsIn(store), []);
  },

  async "the lines of a session that is not there cannot be read"(store) {
    await fails("not_found", () => linesOf(store, "no-such-session"));
  },
};

/** A session whose JSON is written in unusual ways, all of which must stay. */
function oddLines(id: string): string[] {
  return [
    ` {"type":"session", "version":3,"id":"${id}","timestamp":"${timestamp}","cwd":"\\u002fwork","extra":{"b":1,"a":[1.0,1E2]}}`,
    '{"id":"a","type":"custom","customType":"x","data":{"twice":1,"twice":2,"zero":-0.0,"big":12345678901234567890}}',
    '{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"\\u0000 \\ud800 \\u00e9 é \\/ / 😀 \\t \u0085"},"x":null}\t',
    `{"type":"from_the_future","id":"c","parentId":"b","timestamp":"${timestamp}","deep":${"[".repeat(500)}${"]".repeat(500)}}`,
  ];
}

async function* portions(...all: readonly (readonly string[])[]): AsyncGenerator<readonly string[]> {
  yield* all;
}

async function* failingAfter(lines: readonly string[], error: Error): AsyncGenerator<readonly string[]> {
  yield lines;
  throw error;
}

async function linesOf(store: CopyingStore, ref: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const portion of store.readLines(ref)) lines.push(...portion);
  return lines;
}
