import type { Database } from "../database/database.ts";

/** Reads the JSON data that is kept about a session; undefined if there is none. */
export async function readKept(database: Database, id: string): Promise<unknown> {
  const [row] = await database.query<{ data: string }>(`select data::text from ${database.schema}.kept where session_id = $1`, [
    id,
  ]);
  return row === undefined ? undefined : JSON.parse(row.data);
}

/** Keeps JSON data about a session, or removes it. */
export async function writeKept(database: Database, id: string, data: object | undefined): Promise<void> {
  const { schema } = database;
  if (data === undefined) {
    await database.query(`delete from ${schema}.kept where session_id = $1`, [id]);
    return;
  }
  await database.query(
    `insert into ${schema}.kept (session_id, data, kept_at) values ($1, $2, clock_timestamp())
     on conflict (session_id) do update set data = excluded.data, kept_at = excluded.kept_at`,
    [id, JSON.stringify(data)],
  );
}
