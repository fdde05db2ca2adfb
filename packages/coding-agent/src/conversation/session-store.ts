import type { SessionHeader } from "../protocol/frames.ts";
import type { SessionEntry } from "./entries.ts";

/** A header, or an entry. */
export type SessionLine = SessionHeader | SessionEntry;

/**
 * Where sessions are kept: files, memory, a database.
 *
 * A session is a header and entries in the order in which they were appended; nothing is ever changed or taken out. Whoever may append to
 * a session holds its lock: nobody else can open it until its log is closed, or its holder is gone.
 *
 * `sessionStoreTests` checks an implementation against this contract.
 */
export interface SessionStore {
  /** A log for a new session. Nothing is kept, and nobody else sees the session, before its first append. */
  create(header: SessionHeader): SessionLog;
  /**
   * Opens a session to go on with it, or only to read it.
   *
   * @param ref - What `SessionInfo.ref` says, or what else names a session here, such as a path.
   * @param onEntry - Called with each entry, in the order of appending. What it does not keep is not kept.
   * @param options - `readOnly`: without its lock, so that a session can be read while somebody else writes it; nothing is appended.
   * @throws {SessionError} `not_found`, `locked`, `read_failed`, `not_a_session`, `unsupported_version`. The session is not locked then.
   */
  open(ref: string, onEntry: (entry: SessionEntry) => void, options?: OpenOptions): OpenedSession | Promise<OpenedSession>;
  /** The sessions that are kept and match, those appended to last first. What cannot be read is passed over. */
  list(filter?: SessionFilter): Promise<SessionInfo[]>;
  /**
   * Removes a session that nobody has open to append to. One that is not there is no error.
   *
   * @throws {SessionError} `locked`, `write_failed`.
   */
  remove(ref: string): void | Promise<void>;
}

export interface SessionFilter {
  /** Only sessions whose header names this working folder. */
  cwd?: string;
  /** Only sessions whose id begins so; when one has exactly this id, only that. */
  idPrefix?: string;
  /** Most sessions to return. Default: all. */
  limit?: number;
}

/** What is known of a session without reading it. */
export interface SessionInfo {
  /** What `open` takes. */
  ref: string;
  id: string;
  cwd: string;
  /** ISO 8601, from the header. */
  createdAt: string;
  /** Of the last append; milliseconds since 1970. */
  modifiedMs: number;
  /** The session that this one was forked from. */
  parentSession?: string;
}

export interface OpenOptions {
  /** Default false. */
  readOnly?: boolean;
}

export interface OpenedSession {
  header: SessionHeader;
  log: SessionLog;
}

/** One session that is open to append to and to read from. */
export interface SessionLog {
  /** What `open` takes to come back to this session. */
  readonly ref: string;
  /** The session's file; null when it has none. */
  readonly path: string | null;
  /** What was found damaged or lost, for people; grows. */
  readonly diagnostics: readonly string[];
  /**
   * Keeps lines in this order, after all earlier ones: all of them, or none and an error. What it has returned for (or resolved for)
   * survives the end of the process. The first append of a new session begins with its header. It is not called again before it has
   * resolved.
   *
   * @param recall - What the caller still holds of the session, for a store that can lose what was in it. Others need not look.
   * @throws {SessionError} `write_failed`, `locked`.
   */
  append(lines: readonly SessionLine[], recall: (id: string) => SessionEntry | undefined): void | Promise<void>;
  /**
   * The entries of these ids, in this order.
   *
   * @throws {SessionError} `read_failed` when one is not there.
   */
  read(ids: readonly string[]): SessionEntry[] | Promise<SessionEntry[]>;
  /**
   * Told which entries the session no longer has in memory, since a compaction or another branch took them from the context. They may still
   * be read. For a store that has them in memory itself, and can have them there in less space; others do without.
   */
  release?(ids: readonly string[]): void;
  /**
   * Lets others open the session. Safe to call twice; an `append` that comes later is kept all the same, unless somebody else has opened
   * the session since.
   */
  close(): void | Promise<void>;
}
