import type { SessionDescription } from "@pikit/coding-agent";
import type { Database } from "../database/database.ts";

interface Row {
  id: string;
  name: string | null;
  first_prompt: string | null;
  is_interrupted: boolean;
}

/** Sessions per statement. */
const portion = 1000;

/** Describes sessions in the order of the ids. Reads no entries: the facts are kept with the sessions. */
export async function describeSessions(database: Database, ids: readonly string[]): Promise<SessionDescription[]> {
  const found = new Map<string, SessionDescription>();
  for (let start = 0; start < ids.length; start += portion) {
    const rows = await database.query<Row>(
      `select id, name, first_prompt, is_interrupted from ${database.schema}.sessions where id = any($1)`,
      [ids.slice(start, start + portion)],
    );
    for (const { id, name, first_prompt: firstPrompt, is_interrupted: isInterrupted } of rows) {
      found.set(id, { ...(name === null ? {} : { name }), ...(firstPrompt === null ? {} : { firstPrompt }), isInterrupted });
    }
  }
  return ids.map((id) => found.get(id) ?? { isInterrupted: false });
}
