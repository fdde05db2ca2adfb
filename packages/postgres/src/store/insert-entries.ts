import type { ClientBase } from "pg";

/** Characters per statement. A longer line is a statement of its own. */
const portionLength = 4 * 1024 * 1024;

/** Lines per statement. */
const portionLines = 5000;

/** Adds entries to a session in one statement. The caller has made sure that their positions are free. */
export async function insertEntries(
  client: ClientBase,
  schema: string,
  key: string,
  start: number,
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  await client.query(
    `insert into ${schema}.entries (session, position, body)
     select $1, $2 + l.number - 1, l.body::json
     from unnest(string_to_array($3, e'\\n')) with ordinality as l (body, number)`,
    [key, start, lines.join("\n")],
  );
}

/** Cuts lines into portions for one statement each, and joins small portions. */
export async function* inPortions(
  source: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
): AsyncGenerator<string[]> {
  let portion: string[] = [];
  let size = 0;
  for await (const lines of source) {
    for (const line of lines) {
      if (portion.length === portionLines || (portion.length > 0 && size + line.length > portionLength)) {
        yield portion;
        portion = [];
        size = 0;
      }
      portion.push(line);
      size += line.length;
    }
  }
  if (portion.length > 0) yield portion;
}
