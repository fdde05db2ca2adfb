import { Client } from "pg";
import { inject, onTestFinished } from "vitest";
import { newDatabaseName } from "./database-with-tables.ts";

/** Creates an empty database for one test, and returns its address. It is removed after the test, open connections or not. */
export function createDatabase(): Promise<string> {
  return createFrom("template1");
}

/** The same with the tables of a store and of a queue, copied: creating them takes four times as long. */
export function createDatabaseWithTables(): Promise<string> {
  return createFrom(inject("databaseWithTables"));
}

async function createFrom(template: string): Promise<string> {
  const name = newDatabaseName();
  // Half the work of the default, which writes all of it to the log; a server that the environment names may be too old to know this.
  const strategy = process.env.PIKIT_TEST_POSTGRES ? "" : " strategy file_copy";
  await run(`create database ${name} template ${template}${strategy}`);
  onTestFinished(() => run(`drop database if exists ${name} with (force)`));
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${name}`;
  return url.href;
}

async function run(sql: string): Promise<void> {
  const client = new Client({ connectionString: inject("postgresUrl") });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
