import type { SessionHeader } from "../protocol/frames.ts";
import type { SessionEntry } from "./entries.ts";

export type SessionLine = SessionHeader | SessionEntry;

/** Where the lines of one session go. Lines that `append` has returned for (or resolved for) survive the end of the process. */
export interface SessionStore {
  /** The session's file; null when it has none. */
  readonly path: string | null;
  /**
   * Stores lines in this order, after all earlier ones: all of them, or none and an error.
   *
   * @param readAll - The whole session, header first and these lines last, for a store that has lost what was in it.
   */
  append(lines: readonly SessionLine[], readAll: () => readonly SessionLine[]): void | Promise<void>;
  /** Lets others write to the session. Safe to call twice; an `append` that comes later is stored all the same. */
  close(): void | Promise<void>;
}

/** Keeps nothing: for sessions that live in memory only. */
export const memoryStore: SessionStore = { path: null, append() {}, close() {} };
