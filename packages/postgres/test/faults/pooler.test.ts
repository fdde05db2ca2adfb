import { describe, expect, onTestFinished, test } from "vitest";
import { PostgresSessionStore } from "../../src/index.ts";
import { createDatabase } from "../helpers/database.ts";
import { startFaultProxy } from "../helpers/fault-proxy.ts";
import { type PoolerOptions, startPooler } from "../helpers/pooler.ts";
import { append, begin, connect, message, openStore, storedIdsOf } from "../helpers/sessions.ts";

describe("the pooler of the tests", () => {
  test("gives a client another connection for each transaction", async () => {
    const url = await startPooler(await createDatabase());
    const [one, two] = [await connect(url), await connect(url)];
    await one.query("select set_config('my.variable', 'of one', false)");
    await two.query("begin");
    const look = "select current_setting('my.variable', true) as seen";
    expect((await two.query(look)).rows).toEqual([{ seen: "of one" }]);
    expect((await one.query(look)).rows).toEqual([{ seen: null }]);
    await two.query("commit");
  });

  test("in session mode, a client keeps its connection", async () => {
    const url = await startPooler(await createDatabase(), { mode: "session" });
    const [one, two] = [await connect(url), await connect(url)];
    await one.query("select set_config('my.variable', $1, false)", ["of one"]);
    const look = "select current_setting('my.variable', true) as seen";
    expect((await two.query(look)).rows).toEqual([{ seen: null }]);
    expect((await one.query(look)).rows).toEqual([{ seen: "of one" }]);
  });
});

const poolers: PoolerOptions[] = [
  { next: "last" },
  { next: "first" },
  { next: "last", showsServerIds: true },
  { next: "first", showsServerIds: true },
];

test.each(poolers)("a pooler in transaction mode is refused, and nothing is stored: %o", async (options) => {
  const url = await createDatabase();
  const store = openStore(await startPooler(url, options));
  await expect(begin(store, "s-1", [message("1")])).rejects.toMatchObject({
    message: expect.stringContaining("pooler in transaction mode"),
  });
  expect(await openStore(url).list()).toEqual([]);
});

test("the store takes a pooler in session mode", async () => {
  const url = await createDatabase();
  const store = openStore(await startPooler(url, { mode: "session" }));
  await begin(store, "s-1", [message("1")]);
  await expect(openStore(url).open("s-1", () => undefined)).rejects.toMatchObject({ code: "locked" });
});

test("an address that comes to lead to a pooler is refused when the connection of the locks is made again", async () => {
  const url = await createDatabase();
  const proxy = await startFaultProxy(url);
  const { promise, resolve } = Promise.withResolvers<string>();
  const store = new PostgresSessionStore({ url: proxy.url, report: (problem) => problem.includes("pooler") && resolve(problem) });
  onTestFinished(() => store.close());
  const log = await begin(store, "s-1", [message("1")]);
  proxy.moveTo(await startPooler(url));
  expect(await promise).toContain("pooler in transaction mode");
  await expect(begin(store, "s-2", [message("1")])).rejects.toThrow("pooler in transaction mode");
  // The fence of an open session is checked in the statement itself, which needs no state of a connection.
  await append(log, [message("2")]);
  expect(await storedIdsOf(openStore(url), "s-1")).toEqual(["1", "2"]);
});
