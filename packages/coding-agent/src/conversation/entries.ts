import type { EntryContent, SessionEntry } from "../protocol/entries.ts";

export type { EntryContent, SessionEntry };

/** The version of the session format that we write. */
export const sessionVersion = 3;

/** Whether an entry makes the session worth storing. A session with only set-up entries leaves no file. */
export function carriesSomething(entry: EntryContent): boolean {
  return entry.type === "message" || entry.type === "session_info" || entry.type === "custom" || entry.type === "custom_message";
}
