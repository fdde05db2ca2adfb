import type { Database } from "../database/database.ts";

/**
 * Removes old data: that which was kept about a session that has not been stored for 30 days, and owners who died more than
 * a day ago.
 */
export async function cleanUp(database: Database): Promise<void> {
  const { schema } = database;
  await database.query(
    `delete from ${schema}.kept k where kept_at < now() - interval '30 days'
     and not exists (select from ${schema}.sessions s where s.id = k.session_id)`,
  );
  await database.query(
    `delete from ${schema}.owners where seen_at < now() - interval '1 day' and pg_try_advisory_xact_lock_shared(id)`,
  );
}
