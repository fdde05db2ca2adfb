import type { Database } from "../database/database.ts";
import { findOwner, lockedError } from "./ownership.ts";

/**
 * Removes a session that no owner who is alive has open, with its entries and what is kept about it.
 *
 * @throws {SessionError} `locked`. The error of the server or the connection.
 */
export async function removeSession(database: Database, owner: string, id: string): Promise<void> {
  const { schema } = database;
  for (;;) {
    const found = await findOwner(database, id);
    if (!found) return;
    // An owner who is this one has lost the session: the caller has made sure that no log of it is open.
    if (found.isAlive && found.owner !== owner) throw lockedError(database, id, found.address);
    const [row] = await database.query<{ removed: number }>(
      `with gone as (
         delete from ${schema}.sessions where id = $1 and fence = $2 and owner is not distinct from $3::bigint returning key
       ), entries as (
         delete from ${schema}.entries using gone where session = gone.key
       ), kept as (
         delete from ${schema}.kept using gone where session_id = $1
       )
       select count(*)::int as removed from gone`,
      [id, found.fence, found.owner],
    );
    if (row?.removed === 1) return;
  }
}
