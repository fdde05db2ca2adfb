import { SessionError } from "@pikit/coding-agent/errors";
import type { ClientBase } from "pg";
import { isUndefined } from "../errors.ts";
import type { DatabaseAddress } from "./address.ts";
import { migrations } from "./migrations.ts";

/** Milliseconds for a statement: a large table may take long, and other processes wait for it. */
const statementMs = 24 * 3_600_000;

/**
 * Creates the schema, or migrates it to the version that this code knows. Of several processes one does it, and the others wait for it.
 *
 * @throws {SessionError} `unsupported_version` when the schema is newer than this code.
 */
export async function migrate(client: ClientBase, address: DatabaseAddress): Promise<void> {
  const found = await findVersion(client, address);
  if (found === migrations.length) return;
  refuseNewer(found, address);
  await client.query("begin");
  try {
    // Until the end of the transaction.
    await run(client, "select pg_advisory_xact_lock(hashtextextended($1, 0))", [`pikit migrations ${address.schema}`]);
    await addVersions(client, address);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

async function addVersions(client: ClientBase, address: DatabaseAddress): Promise<void> {
  await refuseEncoding(client, address);
  const schema = `"${address.schema}"`;
  const { rows } = await client.query<{ is_there: boolean }>("select to_regnamespace($1) is not null as is_there", [schema]);
  // "if not exists" needs the right to create a schema, even if it is there.
  if (!rows[0]?.is_there) await client.query(`create schema ${schema}`);
  await client.query(
    `create table if not exists ${schema}.migrations (version integer primary key, applied_at timestamptz not null default now())`,
  );
  const found = await readVersion(client, schema);
  refuseNewer(found, address);
  for (const [index, migration] of migrations.entries()) {
    if (index < found) continue;
    await run(client, migration(schema));
    await client.query(`insert into ${schema}.migrations (version) values ($1)`, [index + 1]);
  }
}

async function run(client: ClientBase, text: string, values?: unknown[]): Promise<void> {
  const statement = { text, query_timeout: statementMs };
  await client.query(values ? { ...statement, values } : statement);
}

async function findVersion(client: ClientBase, { schema }: DatabaseAddress): Promise<number> {
  try {
    return await readVersion(client, `"${schema}"`);
  } catch (error) {
    if (isUndefined(error)) return 0;
    throw error;
  }
}

async function readVersion(client: ClientBase, schema: string): Promise<number> {
  const { rows } = await client.query<{ version: number }>(`select coalesce(max(version), 0) as version from ${schema}.migrations`);
  return rows[0]?.version ?? 0;
}

/** Other encodings cannot store every character. */
async function refuseEncoding(client: ClientBase, { shown }: DatabaseAddress): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>("show server_encoding");
  const encoding = rows[0]?.server_encoding;
  if (encoding === "UTF8") return;
  throw new SessionError(
    "write_failed",
    `The database ${shown} has the encoding ${encoding}, but sessions need UTF8. Create another one: create database … encoding 'UTF8' template template0.`,
  );
}

function refuseNewer(found: number, { shown, schema }: DatabaseAddress): void {
  if (found <= migrations.length) return;
  throw new SessionError(
    "unsupported_version",
    `The schema ${schema} of the database ${shown} has version ${found}, but this version of @pikit/postgres knows versions up to ${migrations.length}. Update @pikit/postgres. The database was not changed.`,
  );
}
