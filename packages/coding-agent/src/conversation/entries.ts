import type { EntryContent, SessionEntry } from "../protocol/entries.ts";

export type { EntryContent, SessionEntry };

/** Version of the session format that is written. */
export const sessionVersion = 3;

/** Whether an entry is worth a file: a session that has only been set up leaves none behind. */
export function carriesSomething(entry: EntryContent): boolean {
  return entry.type === "message" || entry.type === "session_info" || entry.type === "custom" || entry.type === "custom_message";
}
