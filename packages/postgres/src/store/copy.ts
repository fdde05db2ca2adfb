import type { SessionHeader } from "@pikit/coding-agent";
import { SessionError } from "@pikit/coding-agent/errors";
import type { ClientBase } from "pg";
import type { Database } from "../database/database.ts";
import { isLostConnection, operationError } from "../errors.ts";
import { columnText, type Facts, noteFacts } from "./facts.ts";
import { readHeader } from "./header.ts";
import { inPortions, insertEntries } from "./insert-entries.ts";
import { readPortions, tryParseEntry } from "./lines.ts";
import { notFoundError } from "./ownership.ts";

/** The lines of a stored session: the header, then the entries that it has now. */
export async function* copyOut(database: Database, id: string): AsyncGenerator<string[]> {
  const what = `Cannot read the session ${id}`;
  try {
    const [session] = await database.query<{ key: string; length: number; header: string }>(
      `select key::text, length, header::text from ${database.schema}.sessions where id = $1`,
      [id],
    );
    if (!session) throw notFoundError(database, id);
    yield [session.header];
    let count = 0;
    for await (const lines of readPortions(database, session.key, 0, session.length)) {
      count += lines.length;
      yield lines;
    }
    if (count !== session.length) throw new Error(`it has ${count} of its ${session.length} entries`);
  } catch (cause) {
    throw operationError("read_failed", what, database.address.shown, cause);
  }
}

/**
 * Stores a session from its lines, in one transaction.
 *
 * @returns The id of the session.
 * @throws {SessionError} `not_a_session`, `unsupported_version`, `write_failed`. The error of the server or the connection.
 */
export async function copyIn(database: Database, lines: AsyncIterable<readonly string[]>): Promise<string> {
  const copy: { id?: string; key?: string } = {};
  try {
    return await database.transact((client) => insertSession(database, client, lines, copy));
  } catch (error) {
    // The connection may have been lost while the transaction was committed.
    const { id, key } = copy;
    if (id === undefined || key === undefined || !isLostConnection(error) || !(await isStored(database, id, key))) throw error;
    return id;
  }
}

async function insertSession(
  database: Database,
  client: ClientBase,
  lines: AsyncIterable<readonly string[]>,
  copy: { id?: string; key?: string },
): Promise<string> {
  const facts: Facts = { name: undefined, firstPrompt: undefined, isInterrupted: undefined };
  let header: SessionHeader | undefined;
  let key = "";
  let length = 0;
  let latest: number | undefined;
  for await (const portion of inPortions(lines)) {
    let entries = portion;
    if (!header) {
      const [first = "", ...rest] = portion;
      header = readHeader(first, "The source");
      await client.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [lockName(database, header.id)]);
      key = await insertHeader(database, client, header, first);
      Object.assign(copy, { id: header.id, key });
      entries = rest;
    }
    for (const [index, line] of entries.entries()) {
      const entry = tryParseEntry(line);
      if (!entry) throw damagedError(length + index + 2);
      noteFacts(facts, entry);
      latest = timeOf(entry.timestamp) ?? latest;
    }
    await insertEntries(client, database.schema, key, length, entries);
    length += entries.length;
  }
  if (!header) throw emptyError();
  const modifiedMs = latest ?? timeOf(header.timestamp) ?? Date.now();
  await client.query(
    `update ${database.schema}.sessions
     set length = $2, name = $3, first_prompt = $4, is_interrupted = $5,
       modified_at = least(to_timestamp($6::float8 / 1000), clock_timestamp())
     where key = $1`,
    [key, length, facts.name ?? null, facts.firstPrompt ?? null, facts.isInterrupted ?? false, modifiedMs],
  );
  return header.id;
}

async function insertHeader(database: Database, client: ClientBase, header: SessionHeader, line: string): Promise<string> {
  const { id, cwd, timestamp, parentSession } = header;
  const { rows } = await client.query<{ key: string }>(
    `insert into ${database.schema}.sessions (id, cwd, created_at, parent_session, header, modified_at, length, fence, is_interrupted)
     values ($1, $2, $3, $4, $5, clock_timestamp(), 0, 0, false) on conflict (id) do nothing returning key::text`,
    [id, columnText(cwd), columnText(timestamp), parentSession === undefined ? null : columnText(parentSession), line],
  );
  const [row] = rows;
  if (row) return row.key;
  throw new SessionError(
    "write_failed",
    `The database ${database.address.shown} has a session ${id} already. Remove that session first, or copy to another database.`,
  );
}

/** Whether a transaction that stored the session was committed. Waits for its end. */
async function isStored(database: Database, id: string, key: string): Promise<boolean> {
  return database.use(async (client) => {
    // As one statement each: the second must see what was committed while the first has waited.
    await client.query("select pg_advisory_lock(hashtextextended($1, 0))", [lockName(database, id)]);
    const { rows } = await client.query(`select from ${database.schema}.sessions where key = $1`, [key]);
    await client.query("select pg_advisory_unlock(hashtextextended($1, 0))", [lockName(database, id)]);
    return rows.length === 1;
  });
}

function lockName({ address }: Database, id: string): string {
  return `pikit copy ${address.schema} ${id}`;
}

function damagedError(line: number): SessionError {
  return new SessionError(
    "write_failed",
    `Line ${line} of the source is not a session entry. Repair or remove it. Nothing was stored.`,
  );
}

function emptyError(): SessionError {
  return new SessionError("not_a_session", "The source has no lines: expected a session header first.");
}

/** Milliseconds of an ISO 8601 time; undefined if it is not one. */
function timeOf(text: unknown): number | undefined {
  const time = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
