import type { SessionDescription, SessionHolder, SessionInfo, SessionStore } from "../../../conversation/session-store.ts";
import type { AgentSession } from "../../../session/agent-session.ts";
import type { KeptOptions } from "../http/route-schemas.ts";
import type { KeptSession } from "./kept-options.ts";

export interface StoredFilter {
  /** Only sessions of this folder. */
  cwd?: string | undefined;
  limit: number;
}

/** A session in the store, under its two names. */
export interface StoredTarget {
  id: string;
  ref: string;
}

/** A session of which only the options are kept, because it has had no prompt. */
export interface UnwrittenSession {
  kept: KeptSession;
  /** Called when the session was begun again, in `session`. */
  begun(session: AgentSession): void;
}

/** The session that a live session begins or opens. */
export interface StoreUse {
  /** The working folder. */
  cwd: string;
  /** The options of the live session. */
  options: KeptOptions;
  /** The ref of the session that the request opens: the options are meant for it, also when it had others. Undefined for a new session. */
  ownRef: string | undefined;
  /** Called when the live session may no longer write, because another server has taken it over. */
  onLost(): void;
}

/** The store of one live session. It keeps the options of the live session for each session that the live session begins. */
export interface LiveStore extends SessionStore {
  /**
   * Keeps the options of the session that was begun or opened, before a prompt can run.
   *
   * @param isNew - Whether the session was begun: then its options are kept even if there are none.
   * @throws {SessionError} `write_failed`.
   */
  keep(session: AgentSession, isNew: boolean): void | Promise<void>;
  /**
   * The same after a command has moved the live session to another one.
   *
   * @throws {SessionError} `write_failed`.
   */
  keepMoved(session: AgentSession): void | Promise<void>;
  /** Whether the list of the stored sessions may have the session. */
  mayHave(session: AgentSession): boolean;
}

/** The stored sessions of a server, as far as their working folders are within the roots: in files, or in a store that servers share. */
export interface StoredSessions {
  /** Whether other servers open and close the sessions, too. */
  readonly isShared: boolean;
  /** The latest sessions, the latest first. */
  list(filter: StoredFilter): Promise<SessionInfo[]>;
  /** The sessions whose id begins with a text, or only the one with exactly this id; the latest first. */
  findByPrefix(idPrefix: string): Promise<SessionInfo[]>;
  /** The session with this id; undefined if there is none within the roots. */
  find(id: string): Promise<SessionInfo | undefined>;
  /**
   * The session that a request names by a path.
   *
   * @throws {HttpError} `bad_request`, `forbidden`. {SessionError} When there is no such session.
   */
  findPath(path: string): Promise<StoredTarget>;
  /** Describes these sessions, as a list shows them, in the same order. */
  describe(infos: readonly SessionInfo[]): Promise<SessionDescription[]>;
  /** Which other servers have these sessions open, in the same order; undefined for those that none has. */
  findHolders(ids: readonly string[]): Promise<(SessionHolder | undefined)[]>;
  /** A session with this id of which only the options are kept. */
  findUnwritten(id: string): Promise<UnwrittenSession | undefined>;
  /**
   * The options that were kept with a session. The model and the level that the session has recorded itself are newer than the kept ones, which
   * are then left out.
   *
   * @throws {SessionError} `read_failed`: opened without its options, the session could do more than it may.
   */
  readOptions(ref: string): Promise<KeptOptions>;
  /** Whether a live session is the stored one with this ref. */
  isSame(session: AgentSession, ref: string): boolean;
  /** The store for one live session: only sessions within the roots can be opened with it. */
  storeFor(use: StoreUse): LiveStore;
}

/** The options without those that a session has recorded itself. */
export function withoutChoices({ model: _model, provider: _provider, thinkingLevel: _level, ...others }: KeptOptions): KeptOptions {
  return others;
}
