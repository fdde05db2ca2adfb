import type {
  CopyingStore,
  OpenedSession,
  OpenOptions,
  SessionDescription,
  SessionEntry,
  SessionFilter,
  SessionHeader,
  SessionHolder,
  SessionInfo,
  SessionLog,
  SharedStore,
} from "@pikit/coding-agent";
import type { SessionErrorCode } from "@pikit/coding-agent/errors";
import { parseAddress } from "../database/address.ts";
import { Database } from "../database/database.ts";
import { type AppendListener, Presence } from "../database/presence.ts";
import { operationError } from "../errors.ts";
import { Appends } from "./appends.ts";
import { cleanUp } from "./clean-up.ts";
import { copyIn, copyOut } from "./copy.ts";
import { describeSessions } from "./describe.ts";
import { readHeader } from "./header.ts";
import { readKept, writeKept } from "./kept.ts";
import { listSessions } from "./list.ts";
import { type LogContext, PostgresSessionLog } from "./log.ts";
import { Notices } from "./notices.ts";
import { findOwners, type HeldSession, here, lockedError, notFoundError, takeSession } from "./ownership.ts";
import { Releases } from "./releases.ts";
import { removeSession } from "./remove.ts";

export interface PostgresStoreOptions {
  /** The address, such as `postgres://user:password@host:5432/database`. The variables of PostgreSQL (`PGUSER`, …) and `.pgpass` add to it. */
  url: string;
  /** The schema of the tables, which is created when it is missing. Default: `schema` of the address, else `pikit`. */
  schema?: string;
  /** Maximum number of connections, besides the one that holds the locks. Default 4. */
  maxConnections?: number;
  /** Seconds without a heartbeat after which another process may open the sessions of this one. Default 15. */
  leaseSeconds?: number;
  /** Seconds for which reading and writing wait for a database that is away. Default 30. */
  patienceSeconds?: number;
  /** Called with one line for a problem that fails no call, such as a lost connection. Default: nothing. */
  report?(problem: string): void;
}

/** Milliseconds between two times at which a store cleans up. */
const cleanUpMs = 3_600_000;

/**
 * Stores sessions in a PostgreSQL database, which many processes can share. The ref of a session is its id. The first use connects, and
 * creates or migrates the tables.
 */
export class PostgresSessionStore implements SharedStore, CopyingStore {
  readonly #database: Database;
  readonly #presence: Presence;
  readonly #context: LogContext;
  /** The logs that have a session open, by id. */
  readonly #held = new Map<string, object>();
  /** When the store cleaned up, in the milliseconds of `performance.now()`. */
  #cleanedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param options - The address, or options.
   * @throws {UsageError} When the address or the name of the schema is not valid.
   */
  constructor(options: string | PostgresStoreOptions) {
    const {
      url,
      schema,
      maxConnections = 4,
      leaseSeconds = 15,
      patienceSeconds = 30,
      report = () => undefined,
    } = typeof options === "string" ? { url: options } : options;
    this.#database = new Database({
      address: parseAddress(url, schema),
      maxConnections,
      patienceMs: patienceSeconds * 1000,
      report,
    });
    this.#presence = new Presence(this.#database, leaseSeconds * 1000, () => this.#doChores());
    this.#context = {
      database: this.#database,
      appends: new Appends(this.#database, this.#presence.owner),
      releases: new Releases(this.#database, this.#presence.owner),
      notices: new Notices(this.#database),
      owner: this.#presence.owner,
      announced: () => this.#presence.announced,
      ensurePresence: () => this.#presence.ensure(),
      hold: (id, log) => this.#hold(id, log),
      unhold: (id, log) => this.#unhold(id, log),
    };
  }

  /** @internal For workers, whose jobs are free as soon as this store's sessions are. */
  get parts(): { database: Database; presence: Presence } {
    return { database: this.#database, presence: this.#presence };
  }

  create(header: SessionHeader): SessionLog {
    return new PostgresSessionLog(this.#context, header, false);
  }

  async open(ref: string, onEntry: (entry: SessionEntry) => void, { readOnly = false }: OpenOptions = {}): Promise<OpenedSession> {
    return this.#guard("read_failed", `Cannot open the session ${ref}`, () =>
      readOnly ? this.#openToRead(ref, onEntry) : this.#openToWrite(ref, onEntry),
    );
  }

  list(filter: SessionFilter = {}): Promise<SessionInfo[]> {
    return this.#guard("read_failed", "Cannot list the sessions", () => listSessions(this.#database, filter));
  }

  async remove(ref: string): Promise<void> {
    if (this.#held.has(ref)) throw lockedError(this.#database, ref, here);
    await this.#guard("write_failed", `Cannot remove the session ${ref}`, () =>
      removeSession(this.#database, this.#presence.owner, ref),
    );
  }

  describe(refs: readonly string[]): Promise<SessionDescription[]> {
    return this.#guard("read_failed", "Cannot describe sessions", () => describeSessions(this.#database, refs));
  }

  readLines(ref: string): AsyncIterable<readonly string[]> {
    return copyOut(this.#database, ref);
  }

  writeLines(lines: AsyncIterable<readonly string[]>): Promise<string> {
    return this.#guard("write_failed", "Cannot store a copied session", async () => {
      const id = await copyIn(this.#database, lines);
      this.#context.notices.add(id);
      return id;
    });
  }

  announce(address: string): void {
    this.#presence.announce(address);
  }

  async holderOf(id: string): Promise<SessionHolder | undefined> {
    const [holder] = await this.holdersOf([id]);
    return holder;
  }

  holdersOf(ids: readonly string[]): Promise<(SessionHolder | undefined)[]> {
    return this.#guard("read_failed", "Cannot find the holders of sessions", async () => {
      const owners = await findOwners(this.#database, ids);
      return ids.map((id) => {
        const found = owners.get(id);
        if (found?.owner === this.#presence.owner) return this.#held.has(id) ? { address: this.#presence.address } : undefined;
        return found?.isAlive ? { address: found.address } : undefined;
      });
    });
  }

  readKept(id: string): Promise<unknown> {
    return this.#guard("read_failed", `Cannot read what is kept about the session ${id}`, () => readKept(this.#database, id));
  }

  writeKept(id: string, data: object | undefined): Promise<void> {
    return this.#guard("write_failed", `Cannot keep data about the session ${id}`, () => writeKept(this.#database, id, data));
  }

  /**
   * Calls the listener after sessions were appended to, by any process, until the returned function is called.
   *
   * @param listener - Called with the ids of the sessions; undefined when any session may have new entries, such as after a lost connection. A
   *   notification may be missing after a crash, so the entries in the database are the truth.
   */
  onAppend(listener: AppendListener): () => void {
    return this.#presence.onAppend(listener);
  }

  async close(): Promise<void> {
    // The connections do not keep the process running, so that a program that forgets to close the store can end.
    const running = setInterval(() => undefined, 60_000);
    try {
      await this.#context.notices.settle();
      await this.#presence.close();
      await this.#database.close();
    } finally {
      clearInterval(running);
    }
  }

  async #openToRead(ref: string, onEntry: (entry: SessionEntry) => void): Promise<OpenedSession> {
    const [session] = await this.#database.query<HeldSession>(
      `select key::text, fence::text, length, header::text from ${this.#database.schema}.sessions where id = $1`,
      [ref],
    );
    if (!session) throw notFoundError(this.#database, ref);
    const header = readHeader(session.header, ref);
    const log = new PostgresSessionLog(this.#context, header, true);
    await log.load(session, undefined, onEntry);
    return { header, log };
  }

  async #openToWrite(ref: string, onEntry: (entry: SessionEntry) => void): Promise<OpenedSession> {
    await this.#presence.ensure();
    // Until the log exists, this marks the session as open.
    const mark = {};
    this.#hold(ref, mark);
    let session: HeldSession | undefined;
    try {
      session = await takeSession(this.#database, this.#presence.owner, ref);
      const header = readHeader(session.header, ref);
      const log = new PostgresSessionLog(this.#context, header, false);
      await log.load(session, session, onEntry);
      this.#held.set(ref, log);
      return { header, log };
    } catch (error) {
      if (session) await this.#context.releases.release({ id: ref, fence: session.fence });
      this.#unhold(ref, mark);
      throw error;
    }
  }

  #hold(id: string, log: object): void {
    const holder = this.#held.get(id);
    if (holder !== undefined && holder !== log) throw lockedError(this.#database, id, here);
    this.#held.set(id, log);
  }

  #unhold(id: string, log: object): void {
    if (this.#held.get(id) === log) this.#held.delete(id);
  }

  async #doChores(): Promise<void> {
    await this.#context.releases.tryAgain();
    if (performance.now() - this.#cleanedAt < cleanUpMs) return;
    this.#cleanedAt = performance.now();
    await cleanUp(this.#database);
  }

  /** Makes a `SessionError` of every error. */
  async #guard<T>(code: SessionErrorCode, what: string, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw operationError(code, what, this.#database.address.shown, error);
    }
  }
}
