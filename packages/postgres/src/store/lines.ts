import type { SessionEntry } from "@pikit/coding-agent";
import type { Database } from "../database/database.ts";

/** Maximum entries of a portion. */
const maxEntries = 1000;

/** Bytes after which a portion ends, as the server stores them, which is compressed. A larger entry is a portion of its own. */
const maxStoredBytes = 512 * 1024;

/**
 * Reads the lines of a session's entries, in portions. The next portion is on its way while the caller works with the last one.
 *
 * @param key - The key of the session.
 * @param from - The position of the first entry.
 * @param to - The position after the last entry. The generator ends earlier if there are fewer entries.
 */
export async function* readPortions(database: Database, key: string, from: number, to: number): AsyncGenerator<string[]> {
  const read = async (start: number): Promise<string[]> => {
    if (start >= to) return [];
    const [row] = await database.query<{ lines: string | null }>(portionOf(database.schema), [
      key,
      start,
      Math.min(to, start + maxEntries),
      maxStoredBytes,
    ]);
    return row?.lines?.split("\n") ?? [];
  };
  let position = from;
  let next = read(position);
  for (;;) {
    const lines = await next;
    if (lines.length === 0) return;
    position += lines.length;
    next = read(position);
    // The caller may stop, and then nobody takes the error of a portion that is on its way.
    next.catch(() => undefined);
    yield lines;
  }
}

/**
 * One text for all lines is quicker than a row for each. A line has no line end within. The subquery has a limit, so its order is that of
 * the text.
 */
function portionOf(schema: string): string {
  return `select string_agg(body, e'\\n') as lines from (
    select body::text as body from (
      select position, body, sum(pg_column_size(body)) over (order by position) - pg_column_size(body) as before
      from ${schema}.entries where session = $1 and position >= $2 and position < $3
    ) as sized where before < $4 order by position limit ${maxEntries}
  ) as lines`;
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
