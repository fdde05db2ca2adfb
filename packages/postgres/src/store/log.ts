import type { SessionEntry, SessionHeader, SessionLine, SessionLog } from "@pikit/coding-agent";
import { SessionError } from "@pikit/coding-agent/errors";
import { encodeLine } from "@pikit/coding-agent/protocol";
import type { Database } from "../database/database.ts";
import { operationError } from "../errors.ts";
import type { Appends } from "./appends.ts";
import { factsOf } from "./facts.ts";
import { readPortions, tryParseEntry } from "./lines.ts";
import type { Notices } from "./notices.ts";
import { findOwner, firstFence, type HeldSession, lockedError, takeSession } from "./ownership.ts";
import { readEntries } from "./read-entries.ts";
import type { Releases } from "./releases.ts";

/** The parts of a store that its logs use. */
export interface LogContext {
  database: Database;
  appends: Appends;
  releases: Releases;
  notices: Notices;
  owner: string;
  /** Resolves when this owner is alive for others. */
  ensurePresence(): Promise<void>;
  /** Resolves when others can see the address of this owner that was announced last. */
  announced(): Promise<void>;
  /** Notes that a log of this store has the session open. @throws {SessionError} `locked` if another one has. */
  hold(id: string, log: object): void;
  /** Reverts `hold`, if it was by this log. */
  unhold(id: string, log: object): void;
}

/** Returns an entry that the caller still has in memory. */
type Recall = (id: string) => SessionEntry | undefined;

/** A session without its length, which the log counts itself. */
type Place = Pick<HeldSession, "key" | "fence">;

/** Most attempts at an append whose number of entries is out of date. Each attempt reads the entries that it has missed. */
const maxAttempts = 5;

/** An open session of the database. Memory holds the position of each entry, and no bodies. */
export class PostgresSessionLog implements SessionLog {
  readonly ref: string;
  readonly path = null;
  readonly diagnostics: string[] = [];
  readonly #context: LogContext;
  readonly #id: string;
  readonly #header: SessionHeader;
  readonly #isReadOnly: boolean;
  /** The position of each entry, by id. */
  readonly #positions = new Map<string, number>();
  #length = 0;
  /** Undefined while the session is not stored, and while it is open to others. */
  #held: Place | undefined;
  /** The key of the stored session. */
  #key: string | undefined;
  /** Whether an attempt to store the new session has failed in a way that may have stored it. */
  #isUncertain = false;
  #isClosed = false;
  #appending: Promise<void> = Promise.resolve();

  constructor(context: LogContext, header: SessionHeader, isReadOnly: boolean) {
    this.#context = context;
    this.#header = header;
    this.#id = header.id;
    this.ref = header.id;
    this.#isReadOnly = isReadOnly;
  }

  /**
   * Reads the entries of a stored session.
   *
   * @param held - Undefined for a log that only reads.
   */
  async load(
    session: Pick<HeldSession, "key" | "length">,
    held: Place | undefined,
    onEntry: (entry: SessionEntry) => void,
  ): Promise<void> {
    this.#key = session.key;
    this.#held = held;
    await this.#readFrom(0, session.length, onEntry);
  }

  append(lines: readonly SessionLine[], recall: Recall): Promise<void> {
    const appending = this.#appending.then(() => this.#append(lines, recall));
    this.#appending = appending.catch(() => undefined);
    return appending;
  }

  async read(ids: readonly string[]): Promise<SessionEntry[]> {
    if (ids.length === 0) return [];
    const { database } = this.#context;
    const what = `Cannot read entries of the session ${this.#id}`;
    const positions = ids.map((id) => this.#positions.get(id));
    const missing = ids.find((_id, index) => positions[index] === undefined);
    if (missing !== undefined || this.#key === undefined) {
      throw new SessionError("read_failed", `${what}: it has no entry ${missing}.`);
    }
    try {
      return await readEntries(database, this.#key, positions as number[]);
    } catch (cause) {
      throw operationError("read_failed", what, database.address.shown, cause);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#appending;
    await this.#release();
  }

  async #append(lines: readonly SessionLine[], recall: Recall): Promise<void> {
    const { database, notices } = this.#context;
    if (this.#isReadOnly) {
      throw new SessionError(
        "write_failed",
        `The session ${this.#id} was opened only for reading. Open it for writing to continue it.`,
      );
    }
    try {
      // A session that is open needs no heartbeat: its fence is checked.
      if (!this.#held) await this.#context.ensurePresence();
      if (this.#key === undefined) await this.#create(lines, recall);
      else {
        if (!this.#held) await this.#takeAgain(this.#key);
        await this.#store(entriesIn(lines), recall);
      }
      notices.add(this.#id);
      await this.#context.announced();
    } catch (cause) {
      throw operationError("write_failed", `Cannot store entries of the session ${this.#id}`, database.address.shown, cause);
    } finally {
      if (this.#isClosed) await this.#release();
    }
  }

  /** Stores the session with its first entries. */
  async #create(lines: readonly SessionLine[], recall: Recall): Promise<void> {
    const { database, appends, owner } = this.#context;
    const header = lines.find((line) => line.type === "session") ?? this.#header;
    const entries = entriesIn(lines);
    this.#context.hold(this.#id, this);
    const text = encode(header);
    const { cwd, timestamp: createdAt, parentSession } = header;
    const creation = {
      id: this.#id,
      cwd,
      createdAt,
      parentSession,
      header: text,
      lines: entries.map(encode),
      facts: factsOf(entries),
    };
    this.#isUncertain = true;
    const key = await appends.create(creation);
    this.#isUncertain = false;
    if (key !== undefined) {
      this.#begin({ key, fence: firstFence });
      this.#note(entries);
      return;
    }
    // An earlier attempt of this log, of which no answer came back, may have stored the session.
    const [found] = await database.query<Place & { owner: string | null; header: string }>(
      `select key::text, fence::text, owner::text, header::text from ${database.schema}.sessions where id = $1`,
      [this.#id],
    );
    if (found?.owner !== owner || found.fence !== firstFence || found.header !== text) {
      this.#context.unhold(this.#id, this);
      throw new SessionError(
        "write_failed",
        `The database ${database.address.shown} has a session ${this.#id} already. Open that session, or create one with another id.`,
      );
    }
    this.#begin(found);
    await this.#store(entries, recall);
  }

  #begin({ key, fence }: Place): void {
    this.#key = key;
    this.#held = { key, fence };
  }

  /** Opens the session for one append after it was closed. */
  async #takeAgain(key: string): Promise<void> {
    const { database, owner } = this.#context;
    this.#context.hold(this.#id, this);
    try {
      this.#held = await takeSession(database, owner, this.#id);
    } catch (error) {
      this.#context.unhold(this.#id, this);
      throw error instanceof SessionError && error.code === "not_found" ? this.#removedError() : error;
    }
    if (this.#held.key !== key) {
      throw new SessionError(
        "write_failed",
        `The session ${this.#id} was removed, and another one has its id now. Start a new session.`,
      );
    }
  }

  /** Stores entries of a session that this log has open. */
  async #store(lines: readonly SessionEntry[], recall: Recall): Promise<void> {
    const { appends } = this.#context;
    const held = this.#held as Place;
    let entries = lines;
    for (let attempt = 1; entries.length > 0; attempt += 1) {
      const append = { ...held, length: this.#length, lines: entries.map(encode), facts: factsOf(entries) };
      if (await appends.append(append)) {
        this.#note(entries);
        return;
      }
      if (attempt === maxAttempts) throw new Error("the number of its entries has changed again and again");
      const known = this.#length;
      const length = await this.#lengthAfterRefusal();
      if (length < known) entries = [...this.#recover(length, recall), ...entries];
      else {
        await this.#readFrom(known, length, () => undefined);
        // An earlier attempt, of which no answer came back, may have stored them.
        entries = entries.filter(({ id }) => (this.#positions.get(id) ?? -1) < known);
      }
    }
  }

  /**
   * The number of entries that the session has, after an append was refused.
   *
   * @throws {SessionError} `locked` when another owner has opened the session; `write_failed` when it was removed.
   */
  async #lengthAfterRefusal(): Promise<number> {
    const { database, owner } = this.#context;
    const [found] = await database.query<{ fence: string; owner: string | null; length: number }>(
      `select fence::text, owner::text, length from ${database.schema}.sessions where key = $1`,
      [this.#key],
    );
    if (!found) throw this.#removedError();
    if (found.owner === owner && found.fence === this.#held?.fence) return found.length;
    const holder = await findOwner(database, this.#id);
    throw lockedError(database, this.#id, holder?.address ?? null);
  }

  /**
   * Forgets the entries that the database has lost, as after a failover to a server that was behind.
   *
   * @param length - The number of entries that are left.
   * @returns Those that the caller still has in memory, to store them again.
   */
  #recover(length: number, recall: Recall): SessionEntry[] {
    const lost = [...this.#positions].filter(([, position]) => position >= length).map(([id]) => id);
    for (const id of lost) this.#positions.delete(id);
    this.#length = length;
    const recovered = lost.map(recall).filter((entry) => entry !== undefined);
    const missing = lost.length - recovered.length;
    if (missing > 0)
      this.diagnostics.push(`${missing} entries of the session ${this.#id} are lost: the database has an older state.`);
    return recovered;
  }

  /** Reads entries that were stored, and notes their positions. */
  async #readFrom(from: number, to: number, onEntry: (entry: SessionEntry) => void): Promise<void> {
    const { database } = this.#context;
    let position = from;
    for await (const lines of readPortions(database, this.#key as string, from, to)) {
      for (const line of lines) {
        const entry = tryParseEntry(line);
        if (!entry)
          this.diagnostics.push(`The entry ${position + 1} of the session ${this.#id} is not a session entry and was skipped.`);
        else if (!this.#positions.has(entry.id)) {
          this.#positions.set(entry.id, position);
          onEntry(entry);
        }
        position += 1;
      }
    }
    if (position !== to) {
      throw new SessionError(
        "read_failed",
        `The session ${this.#id} has ${position} of its ${to} entries. It was removed, or is damaged.`,
      );
    }
    this.#length = to;
  }

  #note(entries: readonly SessionEntry[]): void {
    for (const { id } of entries) {
      if (!this.#positions.has(id)) this.#positions.set(id, this.#length);
      this.#length += 1;
    }
  }

  #removedError(): SessionError {
    return new SessionError("write_failed", `The session ${this.#id} was removed. Start a new one.`);
  }

  async #release(): Promise<void> {
    const { releases, unhold } = this.#context;
    const fence = this.#held?.fence ?? (this.#isUncertain ? firstFence : undefined);
    this.#held = undefined;
    this.#isUncertain = false;
    if (fence !== undefined) await releases.release({ id: this.#id, fence });
    unhold(this.#id, this);
  }
}

function entriesIn(lines: readonly SessionLine[]): SessionEntry[] {
  return lines.filter((line) => line.type !== "session");
}

/** The text of a line as it is stored in files, too, without the line end. */
function encode(line: SessionLine): string {
  return encodeLine(line).slice(0, -1);
}
