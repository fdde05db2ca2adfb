import { SessionError } from "@pikit/coding-agent/errors";
import type { Database } from "../database/database.ts";

/** The fence of a session that was created, as text. */
export const firstFence = "1";

/** One opening of a session. */
export interface Opening {
  id: string;
  fence: string;
}

/** A session that this owner has open. */
export interface HeldSession {
  key: string;
  /** The number of this opening. An append with another number is refused. */
  fence: string;
  /** The number of entries. */
  length: number;
  /** The header's line. */
  header: string;
}

/** The owner of a session, alive or not. */
export interface FoundOwner {
  owner: string | null;
  fence: string;
  address: string | null;
  isAlive: boolean;
}

/**
 * Opens a session for this owner, unless another owner has it open and is alive. The caller makes sure that this owner does not have it
 * open.
 *
 * @throws {SessionError} `not_found`, `locked`. The error of the server or the connection.
 */
export async function takeSession(database: Database, owner: string, id: string): Promise<HeldSession> {
  let dead: FoundOwner | undefined;
  for (;;) {
    const [row] = await database.query<HeldSession>(
      `update ${database.schema}.sessions set owner = $2, fence = fence + 1
       where id = $1 and (owner is null or owner = $2 or (owner = $3 and fence = $4))
       returning key::text, fence::text, length, header::text`,
      [id, owner, dead?.owner ?? null, dead?.fence ?? null],
    );
    if (row) return row;
    const found = await findOwner(database, id);
    if (!found) throw notFoundError(database, id);
    if (found.isAlive) throw lockedError(database, id, found.address);
    // Its owner has died, or has closed it between the two statements.
    dead = found;
  }
}

/** Finds the owner of a session; undefined if there is no such session. */
export async function findOwner(database: Database, id: string): Promise<FoundOwner | undefined> {
  return (await findOwners(database, [id])).get(id);
}

/** Finds the owners of sessions by the ids of the sessions. Those that do not exist are left out. */
export async function findOwners(database: Database, ids: readonly string[]): Promise<Map<string, FoundOwner>> {
  // An owner is alive while its connection has its lock and it has written the time. Taking the lock for the moment of this statement, together
  // with others who look, costs less than reading the list of all locks.
  const rows = await database.query<FoundOwner & { id: string }>(
    `select s.id, s.owner::text, s.fence::text, o.address,
       coalesce(o.seen_at + o.lease > clock_timestamp() and not pg_try_advisory_xact_lock_shared(o.id), false) as "isAlive"
     from ${database.schema}.sessions s left join ${database.schema}.owners o on o.id = s.owner
     where s.id = any($1)`,
    [ids],
  );
  return new Map(rows.map(({ id, ...owner }) => [id, owner]));
}

export function notFoundError({ address }: Database, id: string): SessionError {
  return new SessionError(
    "not_found",
    `There is no session ${id} in the database ${address.shown}. List the sessions to see their ids.`,
  );
}

/** @param holder - The address of the server that has the session open; null if it has none; `here` for this process. */
export function lockedError({ address: { shown } }: Database, id: string, holder: string | null): SessionError {
  const where = holder === null ? "in another process" : holder === here ? "in this process" : `on ${holder}`;
  return new SessionError(
    "locked",
    `The session ${id} in the database ${shown} is open ${where}. Close it there, or fork it and continue in the copy.`,
  );
}

/** The holder of a session that is open in this process. */
export const here = "here";
