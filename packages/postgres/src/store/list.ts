import type { SessionFilter, SessionInfo } from "@pikit/coding-agent";
import type { Database } from "../database/database.ts";
import { columnText } from "./facts.ts";

interface Row {
  id: string;
  cwd: string;
  created_at: string;
  parent_session: string | null;
  modified_ms: number;
}

/** Lists sessions, latest append first. Reads no entries. */
export async function listSessions(database: Database, { cwd, idPrefix = "", limit }: SessionFilter): Promise<SessionInfo[]> {
  const { schema } = database;
  const values: unknown[] = [];
  const value = (given: unknown) => `$${values.push(given)}`;
  const conditions: string[] = [];
  if (cwd !== undefined) {
    const text = value(columnText(cwd));
    // The first part is that of the index.
    conditions.push(`left(cwd, 500) = left(${text}, 500) and cwd = ${text}`);
  }
  if (idPrefix !== "") {
    const prefix = value(columnText(idPrefix));
    // The range is for the index. A session with exactly this id excludes longer ids.
    conditions.push(
      `id >= ${prefix} and id < ${prefix} || chr(1114111) and starts_with(id, ${prefix})
       and (id = ${prefix} or not exists (select from ${schema}.sessions where id = ${prefix}))`,
    );
  }
  const rows = await database.query<Row>(
    `select id, cwd, created_at, parent_session, (extract(epoch from modified_at) * 1000)::float8 as modified_ms
     from ${schema}.sessions ${conditions.length > 0 ? `where ${conditions.join(" and ")}` : ""}
     order by modified_at desc, key desc
     ${limit === undefined || limit === Number.POSITIVE_INFINITY ? "" : `limit ${value(Math.max(0, Math.floor(limit)))}`}`,
    values,
  );
  return rows.map(toInfo);
}

function toInfo({ id, cwd, created_at: createdAt, parent_session: parentSession, modified_ms: modifiedMs }: Row): SessionInfo {
  return { ref: id, id, cwd, createdAt, modifiedMs, ...(parentSession === null ? {} : { parentSession }) };
}
