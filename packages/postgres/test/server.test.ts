import { Client } from "pg";
import { expect, test } from "vitest";
import { createDatabase } from "./helpers/database.ts";

test("json keeps its text, byte for byte, and the server speaks UTF-8", async () => {
  const client = new Client({ connectionString: await createDatabase() });
  await client.connect();
  const text = '{"b": 1,"a" :"\\u0000\\ud800 é😀","a":1.0e2}';
  await client.query("create table kept (body json)");
  await client.query("insert into kept values ($1)", [text]);
  expect((await client.query("select body::text from kept")).rows).toEqual([{ body: text }]);
  await client.end();
});
