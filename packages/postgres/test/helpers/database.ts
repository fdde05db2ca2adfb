import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { inject, onTestFinished } from "vitest";

/** Creates an empty database for one test, and returns its address. It is removed after the test, open connections or not. */
export async function createDatabase(): Promise<string> {
  const name = `pikit_test_${randomBytes(6).toString("hex")}`;
  // Half the work of the default, which writes all of it to the log; a server that the environment names may be too old to know this.
  await run(`create database ${name}${process.env.PIKIT_TEST_POSTGRES ? "" : " strategy file_copy"}`);
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
