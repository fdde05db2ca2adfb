import type { SessionEntry } from "@pikit/coding-agent";
import { SessionError } from "@pikit/coding-agent/errors";
import type { Database } from "../database/database.ts";
import { tryParseEntry } from "./lines.ts";

/** Entries per statement. */
const portion = 500;

/**
 * Reads the entries at these positions, in this order.
 *
 * @throws {SessionError} `read_failed` when one is missing. The error of the server or the connection.
 */
export async function readEntries(database: Database, key: string, positions: readonly number[]): Promise<SessionEntry[]> {
  const entries: SessionEntry[] = [];
  for (let start = 0; start < positions.length; start += portion) {
    const wanted = positions.slice(start, start + portion);
    const rows = await database.query<{ position: number; body: string }>(
      `select position, body::text from ${database.schema}.entries where session = $1 and position = any($2::int[])`,
      [key, wanted],
    );
    const bodies = new Map(rows.map(({ position, body }) => [position, body]));
    for (const position of wanted) {
      const entry = tryParseEntry(bodies.get(position) ?? "");
      if (!entry)
        throw new SessionError("read_failed", `The entry ${position + 1} is missing: the session was removed, or is damaged.`);
      entries.push(entry);
    }
  }
  return entries;
}
