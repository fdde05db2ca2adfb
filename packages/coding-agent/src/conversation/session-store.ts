import type { SessionHeader } from "../protocol/frames.ts";
import type { SessionEntry } from "./entries.ts";

/** A header, or an entry. */
export type SessionLine = SessionHeader | SessionEntry;

/**
 * A store for sessions, such as files, memory or a database.
 *
 * A session is a header and entries in the order of appending; nothing is ever changed or removed. A log that may append holds the session's
 * lock: the session cannot be opened again until the log is closed or its process has ended.
 *
 * `sessionStoreTests` checks an implementation against this contract.
 */
export interface SessionStore {
  /** Creates a log for a new session. Before its first append the session is not stored and not visible to others. */
  create(header: SessionHeader): SessionLog;
  /**
   * Opens a session to append to it, or only to read it.
   *
   * @param ref - `SessionInfo.ref`, or another name of a session in this store, such as a path.
   * @param onEntry - Called with each entry, in the order of appending. `open` returns no entries, so the callback must keep those that the caller needs.
   * @param options - `readOnly`: opens without the lock, so that a session can be read while another process writes it; no appends.
   *   `takeOverLock`: see `SessionLockOptions`.
   * @throws {SessionError} `not_found`, `locked`, `read_failed`, `not_a_session`, `unsupported_version`. The session is then not locked.
   */
  open(ref: string, onEntry: (entry: SessionEntry) => void, options?: OpenOptions): OpenedSession | Promise<OpenedSession>;
  /** Lists the stored sessions that match, latest append first. Unreadable sessions are left out. */
  list(filter?: SessionFilter): Promise<SessionInfo[]>;
  /**
   * Removes a session that is not locked, and what a store of files keeps beside it for an undo. A missing session is no error.
   *
   * @throws {SessionError} `locked`, `write_failed`.
   */
  remove(ref: string): void | Promise<void>;
  /** Releases what the store itself holds, such as connections, when all logs are closed. Safe to call twice. */
  close?(): Promise<void>;
}

/** The facts about a session that a list shows, and that its entries have. */
export interface SessionDescription {
  /** The last name that the session was given; undefined if it has none. */
  name?: string;
  /** The beginning of the text of the user's first message; undefined if there is none. */
  firstPrompt?: string;
  /** Whether the last prompt has no end in the store: it, or a tool call after it, has no answer. */
  isInterrupted: boolean;
}

/** A store that describes sessions without their entries being read by the caller. */
export interface DescribingStore extends SessionStore {
  /** Describes sessions, in the order of the refs. A session that vanishes meanwhile, or cannot be read, has an empty description. */
  describe(refs: readonly string[]): Promise<SessionDescription[]>;
}

/** A store whose sessions can be copied to another store without any difference. */
export interface CopyingStore extends SessionStore {
  /**
   * Reads the lines of a session as they are stored, without line ends: the header, then the entries in the order of appending. The session
   * may be open elsewhere; then the lines are those of one moment.
   *
   * @returns Portions of lines, so that a large session needs little memory.
   * @throws {SessionError} Like `open`; `read_failed` also for a line that is not an entry.
   */
  readLines(ref: string): AsyncIterable<readonly string[]>;
  /**
   * Stores a session from its lines: all of them, or none and an error.
   *
   * @returns The ref of the stored session.
   * @throws {SessionError} `write_failed`, also when the store has a session with this id already, and for lines that are not a header of the
   *   current version and entries; `locked`. Those that the lines throw.
   */
  writeLines(lines: AsyncIterable<readonly string[]>): Promise<string>;
}

/** The server, or another program, that has a session open. */
export interface SessionHolder {
  /** The address that the holder has announced; null if it has none. */
  address: string | null;
}

/** A store that several servers share. Each session is open in one of them at most. */
export interface SharedStore extends DescribingStore {
  /** Tells the others the address, such as `http://10.0.0.5:4711`, of the server that uses this object. */
  announce(address: string): void;
  /** The holder of the session with this id, in this process or another one; undefined if the session is not open, or if its holder has died. */
  holderOf(id: string): Promise<SessionHolder | undefined>;
  /** The same for many sessions at once, in the order of the ids. */
  holdersOf(ids: readonly string[]): Promise<(SessionHolder | undefined)[]>;
  /** The data that a server keeps about a session, such as the options that it was begun with; undefined if there are none. */
  readKept(id: string): Promise<unknown>;
  /** Keeps JSON data about a session, which need not be stored yet. Replaces what was kept; undefined removes it. */
  writeKept(id: string, data: object | undefined): Promise<void>;
}

export interface SessionFilter {
  /** Only sessions with this working folder in their header. */
  cwd?: string;
  /** Only sessions whose id begins with this text; if one has exactly this id, only that one. */
  idPrefix?: string;
  /** Maximum number of sessions. Default: all. */
  limit?: number;
}

/** The facts about a session that need no reading of its entries. */
export interface SessionInfo {
  /** The ref for `open`. */
  ref: string;
  id: string;
  cwd: string;
  /** ISO 8601, from the header. */
  createdAt: string;
  /** The time of the last append; Unix time in milliseconds. */
  modifiedMs: number;
  /** The session that this one was forked from. */
  parentSession?: string;
}

/** How the lock of a session is taken. */
export interface SessionLockOptions {
  /**
   * Replace the lock of a holder that the store cannot ask about, such as a process of another host. The caller knows that it has ended. A
   * store that can ask about every holder ignores this. Default false.
   */
  takeOverLock?: boolean;
}

export interface OpenOptions extends SessionLockOptions {
  /** Default false. */
  readOnly?: boolean;
}

export interface OpenedSession {
  header: SessionHeader;
  log: SessionLog;
}

/** An open session. */
export interface SessionLog {
  /** The ref to open this session again. */
  readonly ref: string;
  /** The path of the session file; null if there is none. */
  readonly path: string | null;
  /** Messages about damaged or lost data, for the user. The list grows. */
  readonly diagnostics: readonly string[];
  /**
   * Stores lines in this order, after all earlier ones: all of them, or none and an error. When it has returned (or resolved), the lines
   * survive the end of the process. The first append of a new session starts with its header. The caller never calls it again before it has
   * resolved.
   *
   * @param recall - Returns an entry that the caller still has in memory, for a store that can lose stored entries. Other stores ignore it.
   * @throws {SessionError} `write_failed`, `locked`.
   */
  append(lines: readonly SessionLine[], recall: (id: string) => SessionEntry | undefined): void | Promise<void>;
  /**
   * Reads the entries with these ids, in this order.
   *
   * @throws {SessionError} `read_failed` when an entry is missing.
   */
  read(ids: readonly string[]): SessionEntry[] | Promise<SessionEntry[]>;
  /**
   * Called with the entries that the session no longer keeps in memory, because a compaction or another branch removed them from the context.
   * They may still be read later. A store that keeps sessions in memory can compress them; other stores omit this method.
   */
  release?(ids: readonly string[]): void;
  /**
   * Releases the session's lock. Safe to call twice. A later `append` is still stored, unless another process has opened the session
   * meanwhile.
   */
  close(): void | Promise<void>;
}
