import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { PostgresSessionStore } from "../../src/index.ts";
import { openWorkQueue } from "../../src/work/index.ts";

/** A name that no other test uses, also on a server that the environment names. */
export const newDatabaseName = (): string => `pikit_test_${randomBytes(6).toString("hex")}`;

/** A database with the tables of a store and of a queue, and nothing in them. Others are copies of it, so nobody can connect to it. */
export interface DatabaseWithTables {
  readonly name: string;
  remove(): Promise<void>;
}

/** @param serverUrl - The address of a database of the server that always exists. */
export async function createWithTables(serverUrl: string): Promise<DatabaseWithTables> {
  const name = newDatabaseName();
  const run = async (sql: string) => {
    const client = new Client({ connectionString: serverUrl });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await run(`create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const store = new PostgresSessionStore(url.href);
  await store.list();
  await store.close();
  const queue = await openWorkQueue({ url: url.href });
  await queue.close();
  await run(`alter database ${name} allow_connections false`);
  return { name, remove: () => run(`drop database ${name}`) };
}
