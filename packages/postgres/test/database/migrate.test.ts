import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrations } from "../../src/database/migrations.ts";
import { createDatabase } from "../helpers/database.ts";
import { append, begin, connect, errorOf, idsOf, message, openStore } from "../helpers/sessions.ts";

const fixtures = join(import.meta.dirname, "../fixtures");
const versions = migrations.map((_migration, index) => index + 1);

test("of many processes that come to an empty database at the same time one creates the tables, and each can use them", async () => {
  const url = await createDatabase();
  const stores = Array.from({ length: 8 }, () => openStore(url));
  await Promise.all(stores.map((store, index) => begin(store, `s-${index}`, [message("1")])));
  const database = await connect(url);
  const { rows } = await database.query("select version from pikit.migrations order by version");
  expect(rows.map(({ version }) => version)).toEqual(versions);
  expect((await stores[0]?.list())?.length).toBe(8);
});

test("a database of version 1 is migrated by one of many processes, and keeps all of its data", async () => {
  const url = await createDatabase();
  const database = await connect(url);
  const dump = readFileSync(join(fixtures, "version-1.sql"), "utf8");
  await database.query(dump);
  const stores = Array.from({ length: 4 }, () => openStore(url));
  const [store] = stores as [(typeof stores)[number]];
  const lists = await Promise.all(stores.map((each) => each.list()));
  expect(lists[3]?.map(({ id }) => id)).toEqual(["second", "first"]);
  const { rows } = await database.query("select version from pikit.migrations order by version");
  expect(rows.map(({ version }) => version)).toEqual(versions);

  // The lines are those of the dump, byte for byte.
  const lines: string[] = [];
  for await (const portion of store.readLines("first")) lines.push(...portion);
  expect(lines).toHaveLength(4);
  for (const line of lines) expect(dump).toContain(`'${line}'`);
  expect(await store.describe(["first", "second"])).toEqual([
    { name: "A name", firstPrompt: "Hello", isInterrupted: false },
    { firstPrompt: "Go", isInterrupted: true },
  ]);
  expect(await store.readKept("first")).toEqual({ model: "a/b" });
  // The owner of the second has died long ago.
  const { log } = await store.open("second", () => undefined);
  await append(log, [message("c")]);
  await log.close();
  expect(await idsOf(store, "second")).toEqual(["b", "c"]);
});

test("a database that is newer than this code is refused, and not changed", async () => {
  const url = await createDatabase();
  await openStore(url).list();
  const database = await connect(url);
  await database.query("insert into pikit.migrations (version) values (1000)");
  const store = openStore(url);
  const { code, message: text } = await errorOf(() => store.list());
  expect(code).toBe("unsupported_version");
  expect(text).toMatch(/has version 1000, but this version of @pikit\/postgres knows versions up to \d+\. Update/);
  expect(await errorOf(() => begin(store, "s-1"))).toMatchObject({ code: "unsupported_version" });
  expect((await database.query("select id from pikit.sessions")).rows).toEqual([]);
});

test("stores in different schemas of a database do not see each other", async () => {
  const url = await createDatabase();
  const first = openStore(url, { schema: "one" });
  const second = openStore(`${url}&schema=Two`);
  await begin(first, "s-1", [message("1")]);
  await begin(second, "s-1", [message("2")]);
  expect(await idsOf(first, "s-1")).toEqual(["1"]);
  expect(await idsOf(second, "s-1")).toEqual(["2"]);
  const database = await connect(url);
  const { rows } = await database.query("select nspname from pg_namespace where nspname in ('one', 'Two', 'pikit') order by 1");
  expect(rows.map(({ nspname }) => nspname)).toEqual(["Two", "one"]);
});

test("a user without the right to create a schema is told which right is missing, and uses a schema that is there", async () => {
  const url = await createDatabase();
  const database = await connect(url);
  const role = `pikit_guest_${Math.random().toString(36).slice(2)}`;
  await database.query(`create role ${role} login password 'secret'`);
  try {
    const guest = new URL(url);
    guest.username = role;
    guest.password = "secret";
    const refused = openStore(guest.href);
    const { code, message: text } = await errorOf(() => refused.list());
    expect({ code, text }).toEqual({ code: "read_failed", text: expect.stringContaining("Grant the user this permission") });
    expect(text).not.toContain("secret");
    await database.query(`create schema pikit authorization ${role}`);
    const store = openStore(guest.href);
    await begin(store, "s-1", [message("1")]);
    expect(await idsOf(store, "s-1")).toEqual(["1"]);
    await Promise.all([refused.close(), store.close()]);
  } finally {
    await database.query(`drop schema if exists pikit cascade; drop role ${role}`);
  }
});

test("a database of another encoding is refused", async () => {
  const url = new URL(await createDatabase());
  const database = await connect(url.href);
  const name = `${url.pathname.slice(1)}_latin`;
  await database.query(`create database ${name} encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0`);
  url.pathname = `/${name}`;
  const store = openStore(url.href);
  const { message: text } = await errorOf(() => store.list());
  await store.close();
  await database.query(`drop database ${name}`);
  expect(text).toContain("has the encoding LATIN1, but sessions need UTF8.");
});
