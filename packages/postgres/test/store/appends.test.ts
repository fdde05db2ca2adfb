import { expect, onTestFinished, test } from "vitest";
import { createDatabaseWithTables } from "../helpers/database.ts";
import { append, begin, connect, errorOf, header, idsOf, message, openStore } from "../helpers/sessions.ts";

const count = 200;
const ids = Array.from({ length: count }, (_, index) => `s-${index}`);

test("appends of many sessions at the same time leave in few statements", async () => {
  const url = await createDatabaseWithTables();
  const store = openStore(url);
  const database = await connect(url);
  const logs = await Promise.all(ids.map((id) => begin(store, id, [message("1")])));
  // Counts the statements, not the rows.
  await database.query(`
    create sequence statements;
    create function count_statement() returns trigger language plpgsql as $$ begin perform nextval('statements'); return null; end $$;
    create trigger counted after insert on pikit.entries for each statement execute function count_statement();
  `);
  await Promise.all(logs.map((log) => append(log, [message("2"), message("3")])));
  const { rows } = await database.query("select last_value::int as count from statements");
  expect(rows[0].count).toBeLessThanOrEqual(2);
  expect(await idsOf(store, "s-0")).toEqual(["1", "2", "3"]);
  expect(await idsOf(store, "s-199")).toEqual(["1", "2", "3"]);
});

test("listeners of all processes are notified of each session that was appended to", async () => {
  const url = await createDatabaseWithTables();
  const [store, other] = [openStore(url), openStore(url)];
  const logs = await Promise.all(ids.map((id) => begin(store, id)));
  const listeners = [store, other].map(async (each) => {
    const left = new Set(ids);
    const { promise: isComplete, resolve } = Promise.withResolvers<void>();
    const { promise: isListening, resolve: listens } = Promise.withResolvers<void>();
    const stop = each.onAppend((found) => {
      if (found === undefined) listens();
      for (const id of found ?? []) left.delete(id);
      if (left.size === 0) resolve();
    });
    onTestFinished(stop);
    await isListening;
    return { isComplete };
  });
  const complete = await Promise.all(listeners);
  await Promise.all(logs.map((log) => append(log, [message("1")])));
  await Promise.all(complete.map(({ isComplete }) => isComplete));
});

test("a notification of many long ids says only that there is something new", async () => {
  const store = openStore(await createDatabaseWithTables());
  const { promise: isListening, resolve: listens } = Promise.withResolvers<void>();
  const found: (readonly string[] | undefined)[] = [];
  const stop = store.onAppend((each) => {
    found.push(each);
    listens();
  });
  onTestFinished(stop);
  await isListening;
  await Promise.all(ids.map((id) => begin(store, `${id}-${"x".repeat(100)}`, [message("1")])));
  const log = await begin(store, "last", []);
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  onTestFinished(store.onAppend((each) => each?.includes("last") && resolve()));
  await append(log, [message("1")]);
  await isOver;
  expect(found.flat()).not.toContain(`s-1-${"x".repeat(100)}`);
  // The first is that of the beginning.
  expect(found.filter((each) => each === undefined).length).toBeGreaterThanOrEqual(2);
});

test("a session that is refused does not take the others of its statement along", async () => {
  const url = await createDatabaseWithTables();
  const store = openStore(url);
  const logs = await Promise.all(ids.map((id) => begin(store, id, [message("1")])));
  const database = await connect(url);
  await database.query("update pikit.sessions set fence = 2 where id = 's-7'");
  const results = await Promise.allSettled(logs.map((log) => append(log, [message("2")])));
  const refused = ids.filter((_id, index) => results[index]?.status === "rejected");
  expect(refused).toEqual(["s-7"]);
  expect(results[7]).toMatchObject({ reason: { code: "locked" } });
  expect(await idsOf(store, "s-6")).toEqual(["1", "2"]);
  expect(await idsOf(store, "s-7")).toEqual(["1"]);
});

test("an entry that the database cannot take does not take the others of its statement along, and can be left out", async () => {
  const store = openStore(await createDatabaseWithTables());
  const logs = await Promise.all(ids.slice(0, 3).map((id) => begin(store, id, [message("1")])));
  const entry = { type: "custom", id: "deep", parentId: null, timestamp: "", customType: "x", data: deepList(50_000) } as const;
  const results = await Promise.allSettled(logs.map((log, index) => append(log, index === 1 ? [entry] : [message("2")])));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(results[1]).toMatchObject({ reason: { code: "write_failed", message: expect.stringContaining("max_stack_depth") } });
  for (const log of logs) await append(log, [message("3")]);
  expect(await idsOf(store, "s-0")).toEqual(["1", "2", "3"]);
  expect(await idsOf(store, "s-1")).toEqual(["1", "3"]);
});

test("an append that is too large for one statement is stored whole, or not at all", async () => {
  const store = openStore(await createDatabaseWithTables());
  const text = "€".repeat(1_000_000);
  const entries = Array.from({ length: 12 }, (_, index) => message(`large-${index}`, text));
  const bad = { ...message("bad"), message: deepList(50_000) } as never;
  const log = store.create(header("s-1"));
  expect(await errorOf(() => append(log, [header("s-1"), ...entries, bad]))).toMatchObject({ code: "write_failed" });
  expect(await store.list()).toEqual([]);
  await append(log, [header("s-1"), ...entries]);
  expect(await errorOf(() => append(log, [...entries, bad]))).toMatchObject({ code: "write_failed" });
  await append(log, [message("2"), ...entries.map((entry) => ({ ...entry, id: `more ${entry.id}` }))]);
  const ids = entries.map(({ id }) => id);
  expect(await idsOf(store, "s-1")).toEqual([...ids, "2", ...ids.map((id) => `more ${id}`)]);
  expect(await log.read(["more large-11"])).toEqual([message("more large-11", text)]);
});

test("appends that were stored without an answer are not stored twice when they are repeated", async () => {
  const url = await createDatabaseWithTables();
  const store = openStore(url);
  const log = await begin(store, "s-1", [message("1")]);
  const database = await connect(url);
  // As a statement leaves it whose connection is lost before the answer.
  await database.query("insert into pikit.entries select key, 1, $1 from pikit.sessions", [JSON.stringify(message("2"))]);
  await database.query("update pikit.sessions set length = 2");
  await append(log, [message("2"), message("3")]);
  expect(await idsOf(store, "s-1")).toEqual(["1", "2", "3"]);
  expect(await log.read(["3", "2"])).toEqual([message("3"), message("2")]);
});

test("a new session that was stored without an answer is not stored twice when its first append is repeated", async () => {
  const url = await createDatabaseWithTables();
  const store = openStore(url);
  await begin(store, "other");
  const database = await connect(url);
  await database.query(
    `insert into pikit.sessions (id, cwd, created_at, header, modified_at, length, fence, owner, is_interrupted)
     select 's-1', '/work', '', $1, now(), 1, 1, owner, false from pikit.sessions`,
    [JSON.stringify(header("s-1"))],
  );
  await database.query("insert into pikit.entries select key, 0, $1 from pikit.sessions where id = 's-1'", [
    JSON.stringify(message("1")),
  ]);
  const log = await begin(store, "s-1", [message("1"), message("2")]);
  await append(log, [message("3")]);
  expect(await idsOf(store, "s-1")).toEqual(["1", "2", "3"]);
});

test("a session with an id that is there is not created, and the other one stays as it is", async () => {
  const store = openStore(await createDatabaseWithTables());
  const first = await begin(store, "s-1", [message("1")]);
  expect((await errorOf(() => begin(store, "s-1", [message("2")]))).code).toBe("locked");
  await first.close();
  const { code, message: text } = await errorOf(() => begin(store, "s-1", [message("2")]));
  expect({ code, text }).toEqual({ code: "write_failed", text: expect.stringContaining("has a session s-1 already") });
  expect(await idsOf(store, "s-1")).toEqual(["1"]);
});

test("entries that the database has lost are stored again from memory, and the others are reported", async () => {
  const url = await createDatabaseWithTables();
  const store = openStore(url);
  const log = await begin(store, "s-1", [message("1"), message("2"), message("3")]);
  const database = await connect(url);
  // As after a failover to a server that was behind.
  await database.query("delete from pikit.entries where position >= 1");
  await database.query("update pikit.sessions set length = 1");
  await log.append([message("4")], (id) => (id === "3" ? message("3") : undefined));
  expect(log.diagnostics).toEqual(["1 entries of the session s-1 are lost: the database has an older state."]);
  expect(await idsOf(store, "s-1")).toEqual(["1", "3", "4"]);
  expect(await log.read(["4", "3"])).toEqual([message("4"), message("3")]);
});

test("an append to a session that was removed behind its back fails, and stores nothing", async () => {
  const url = await createDatabaseWithTables();
  const store = openStore(url);
  const log = await begin(store, "s-1", [message("1")]);
  await log.close();
  await store.remove("s-1");
  expect(await errorOf(() => append(log, [message("2")]))).toMatchObject({
    code: "write_failed",
    message: "The session s-1 was removed. Start a new one.",
  });
  await begin(store, "s-1", [message("5")]).then((other) => other.close());
  expect((await errorOf(() => append(log, [message("2")]))).message).toContain("was removed, and another one has its id");
  expect(await idsOf(store, "s-1")).toEqual(["5"]);
  const database = await connect(url);
  expect((await database.query("select count(*)::int as count from pikit.entries")).rows).toEqual([{ count: 1 }]);
});

function deepList(levels: number): unknown {
  let list: unknown = "bottom";
  for (let level = 0; level < levels; level += 1) list = [list];
  return list;
}
