import type { SessionEntry } from "@pikit/coding-agent";
import type { Database } from "../database/database.ts";

/** Maximum entries of a portion. */
const maxEntries = 1000;

/** Characters of a portion, as many as other work of the process may wait for. */
const portionLength = 4 * 1024 * 1024;

/**
 * Reads the lines of a session's entries, in portions. The next portion is on its way while the caller works with the last one.
 *
 * @param key - The key of the session.
 * @param from - The position of the first entry.
 * @param to - The position after the last entry. The generator ends earlier if there are fewer entries.
 */
export async function* readPortions(database: Database, key: string, from: number, to: number): AsyncGenerator<string[]> {
  let position = from;
  // The number of entries follows the length of the last ones, since the server looks at all of them.
  let count = maxEntries;
  const read = () => (position < to ? readPortion(database, key, position, Math.min(to, position + count)) : Promise.resolve([]));
  let next = read();
  for (;;) {
    const lines = await next;
    if (lines.length === 0) return;
    position += lines.length;
    const length = lines.reduce((sum, line) => sum + line.length, 0);
    count = Math.max(1, Math.min(maxEntries, Math.floor((lines.length * portionLength) / length)));
    next = read();
    // The caller may stop, and then the error of a portion that is on its way has no receiver.
    next.catch(() => undefined);
    yield lines;
  }
}

/** Reads at least one entry, and fewer than all when they are larger than a portion. Rows are twice as fast as one text of all lines. */
async function readPortion(database: Database, key: string, from: number, to: number): Promise<string[]> {
  // The stored size is known without reading the body. It is compressed, so it is less than the length.
  const rows = await database.query<{ body: string }>(
    `select body::text from (
       select position, body, sum(pg_column_size(body)) over (order by position rows unbounded preceding) - pg_column_size(body) as before
       from ${database.schema}.entries where session = $1 and position >= $2 and position < $3
     ) as sized where before < $4 order by position`,
    [key, from, to, portionLength],
  );
  return rows.map(({ body }) => body);
}

/** Parses a line as an entry; undefined if it is not one. */
export function tryParseEntry(line: string): SessionEntry | undefined {
  try {
    const value = JSON.parse(line) as { type?: unknown; id?: unknown } | null;
    return typeof value?.type === "string" && typeof value.id === "string" ? (value as SessionEntry) : undefined;
  } catch {
    return undefined;
  }
}
