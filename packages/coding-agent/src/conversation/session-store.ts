import type { SessionHeader } from "../protocol/frames.ts";
import type { SessionEntry } from "./entries.ts";

/** Where the lines of one session go. Lines that `append` has returned for (or resolved for) survive the end of the process. */
export interface SessionStore {
  /** The session's file; null when it has none. */
  readonly path: string | null;
  /** Stores lines in this order, after all earlier ones: all of them, or none and an error. */
  append(lines: readonly (SessionHeader | SessionEntry)[]): void | Promise<void>;
}

/** Keeps nothing: for sessions that live in memory only. */
export const memoryStore: SessionStore = { path: null, append() {} };
