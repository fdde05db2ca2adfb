import { expect, test } from "vitest";
import { PostgresSessionStore } from "../../src/index.ts";
import { createDatabase } from "../helpers/database.ts";
import { begin, errorOf, openStore } from "../helpers/sessions.ts";

test.each(["", "postgres", "mysql://user:secret@host/x", "http://user:secret@host", "/var/run/secret"])(
  "%j is not the address of a database",
  async (address) => {
    const { code, message } = await errorOf(() => new PostgresSessionStore(address));
    expect({ code, message }).toEqual({
      code: "invalid_arguments",
      message: expect.stringContaining("postgres://user@host:5432/"),
    });
    expect(message).not.toContain("secret");
  },
);

test.each(["", "1st", 'a"b', "a-b", "x".repeat(64)])("%j is not the name of a schema", async (schema) => {
  const { code } = await errorOf(() => new PostgresSessionStore({ url: "postgres://host/x", schema }));
  expect(code).toBe("invalid_arguments");
});

test("a server that cannot be reached is named without its password", async () => {
  // Nothing listens on port 1.
  const store = openStore("postgres://pikit:secret@127.0.0.1:1/x?password=secret", { patienceSeconds: 0 });
  const read = await errorOf(() => store.list());
  expect(read).toMatchObject({ code: "read_failed" });
  expect(read.message).toBe(
    "Cannot list the sessions in the database postgres://pikit@127.0.0.1:1/x: connect ECONNREFUSED 127.0.0.1:1. Check the address, and that the server runs and can be reached.",
  );
  expect(await errorOf(() => begin(store, "s-1"))).toMatchObject({ code: "write_failed" });
  expect(JSON.stringify(read)).not.toContain("secret");
});

test("a database that does not exist is named", async () => {
  const url = new URL(await createDatabase());
  url.pathname = "/no_such_database";
  const { code, message } = await errorOf(() => openStore(url.href).list());
  expect({ code, message }).toEqual({
    code: "read_failed",
    message: expect.stringMatching(/database "no_such_database" does not exist\. Create the database, or correct the address\.$/),
  });
});

test("a store that is closed says so, and can be closed again", async () => {
  const store = openStore(await createDatabase());
  await begin(store, "s-1");
  await store.close();
  await store.close();
  expect(await errorOf(() => store.list())).toMatchObject({ message: "The session store is closed. Create a new one." });
});
