import { expect, test } from "vitest";
import { createDatabaseWithTables } from "../helpers/database.ts";
import { begin, connect, errorOf, idsOf, message, openStore } from "../helpers/sessions.ts";

async function* portions(...lines: readonly (readonly string[])[]): AsyncGenerator<readonly string[]> {
  yield* lines;
}

async function linesOf(source: AsyncIterable<readonly string[]>): Promise<string[]> {
  const lines: string[] = [];
  for await (const portion of source) lines.push(...portion);
  return lines;
}

/** Lines as other programs may have written them. */
const first =
  '{ "version":3, "type":"session","id":"s-1", "timestamp":"2026-01-02T03:04:05.678Z", "cwd":"/work\\u0000" , "more":1.0e1}';
const entries = [
  '  {"type":"message","id":"a","parentId":null,"timestamp":"2026-02-03T04:05:06.000Z","message":{"role":"user","content":"H\\u0069"}} ',
  '{"type":"from_the_future","id":"b","a":1,"a":2,"big":123456789012345678901234567890,"text":"\u2028 \\ud800 \u007f é😀"}\r',
  '\t{"type":"message","id":"a","timestamp":"no time","message":null}',
];

test("a session keeps each character of its lines, on the way in and out", async () => {
  const [source, target] = [openStore(await createDatabaseWithTables()), openStore(await createDatabaseWithTables())];
  expect(await source.writeLines(portions([first], [], entries.slice(0, 2), entries.slice(2)))).toBe("s-1");
  expect(await linesOf(source.readLines("s-1"))).toEqual([first, ...entries]);
  await target.writeLines(source.readLines("s-1"));
  expect(await linesOf(target.readLines("s-1"))).toEqual([first, ...entries]);
  // The last append was that of the last entry with a time.
  expect(await target.list()).toEqual([
    {
      ...{ ref: "s-1", id: "s-1", cwd: "/work\ufffd", createdAt: "2026-01-02T03:04:05.678Z" },
      modifiedMs: Date.parse("2026-02-03T04:05:06.000Z"),
    },
  ]);
  expect(await target.describe(["s-1"])).toEqual([{ firstPrompt: "Hi", isInterrupted: true }]);
  expect(await idsOf(target, "s-1")).toEqual(["a", "b"]);
});

test("a session of many portions is copied whole", async () => {
  const store = openStore(await createDatabaseWithTables());
  const lines = Array.from({ length: 12_000 }, (_, index) => JSON.stringify(message(`${index}`, "x".repeat(index % 2000))));
  const large = JSON.stringify(message("large", "€".repeat(5_000_000)));
  const source = async function* () {
    yield [first];
    for (const line of lines) yield [line];
    yield [large];
  };
  await store.writeLines(source());
  expect(await linesOf(store.readLines("s-1"))).toEqual([first, ...lines, large]);
});

test.each<[string, readonly string[], string]>([
  ["no lines", [], "The source has no lines"],
  ["no header", [entries[0] as string], "is not a session: its first line is not a session header"],
  ["a header of another version", ['{"type":"session","version":4,"id":"s-1"}'], "has format 4"],
  ["a line that is cut", [first, entries[0] as string, '{"type":"mess'], "Line 3 of the source is not a session entry"],
  ["a line that is no entry", [first, "[]"], "Line 2 of the source is not a session entry"],
  ["two lines in one", [first, `${entries[0]}\n${entries[1]}`], "Line 2 of the source is not a session entry"],
])("of a source with %s nothing is stored", async (_name, lines, reason) => {
  const url = await createDatabaseWithTables();
  const store = openStore(url);
  expect((await errorOf(() => store.writeLines(portions(lines)))).message).toContain(reason);
  expect(await store.list()).toEqual([]);
  const database = await connect(url);
  expect((await database.query("select from pikit.entries")).rows).toEqual([]);
});

test("of a source that fails nothing is stored, and its error reaches the caller", async () => {
  const store = openStore(await createDatabaseWithTables());
  const source = async function* () {
    yield [first, ...entries];
    throw new Error("the disk is gone");
  };
  expect((await errorOf(() => store.writeLines(source()))).message).toContain("the disk is gone");
  expect(await store.list()).toEqual([]);
});

test("a session that is there already is not replaced", async () => {
  const store = openStore(await createDatabaseWithTables());
  const log = await begin(store, "s-1", [message("1")]);
  await log.close();
  const { code, message: text } = await errorOf(() => store.writeLines(portions([first])));
  expect({ code, text }).toEqual({ code: "write_failed", text: expect.stringContaining("has a session s-1 already") });
  expect(await idsOf(store, "s-1")).toEqual(["1"]);
});

test("a session that is written meanwhile is copied as it was at the beginning", async () => {
  const store = openStore(await createDatabaseWithTables());
  const log = await begin(
    store,
    "s-1",
    Array.from({ length: 3000 }, (_, index) => message(`${index}`)),
  );
  const lines: string[] = [];
  for await (const portion of store.readLines("s-1")) {
    lines.push(...portion);
    await log.append([message(`new ${lines.length}`)], () => undefined);
  }
  expect(lines).toHaveLength(3001);
});
