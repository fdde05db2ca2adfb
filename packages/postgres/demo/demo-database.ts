import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { startServer } from "../test/helpers/server.ts";

/** A database for one run of the demo. */
export interface DemoDatabase {
  url: string;
  /** Restarts the server; undefined if it is not ours. */
  restart: (() => Promise<void>) | undefined;
  /** Removes the database, and the server if it is ours. */
  close(): Promise<void>;
}

/** Starts a server, or creates a database on the one that `PIKIT_TEST_POSTGRES` names. */
export async function openDemoDatabase(): Promise<DemoDatabase> {
  const given = process.env.PIKIT_TEST_POSTGRES;
  if (given === undefined || given === "") {
    // As users run it: what is committed survives a loss of power.
    const server = await startServer({ fsync: "on" });
    const restart = async () => {
      await server.stop();
      await server.start();
    };
    return { url: server.url(), restart, close: () => server.remove() };
  }
  const name = `pikit_fleet_${randomBytes(6).toString("hex")}`;
  await run(given, `create database ${name}`);
  const url = new URL(given);
  url.pathname = `/${name}`;
  return { url: url.href, restart: undefined, close: () => run(given, `drop database if exists ${name} with (force)`) };
}

async function run(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
