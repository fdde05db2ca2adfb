import { SessionError } from "../errors.ts";
import type { SessionHeader } from "../protocol/frames.ts";
import type { SessionEntry } from "./entries.ts";
import { EntryUnpacker, PackedEntry } from "./packed-entries.ts";
import type {
  OpenedSession,
  OpenOptions,
  SessionFilter,
  SessionInfo,
  SessionLine,
  SessionLog,
  SessionStore,
} from "./session-store.ts";

interface KeptSession {
  header: SessionHeader;
  /** By id, in the order of appending. */
  entries: Map<string, SessionEntry | PackedEntry>;
  modifiedMs: number;
  /** The log that holds the lock and may append. */
  holder: SessionLog | undefined;
}

export interface MemoryStoreOptions {
  /** Whether closed sessions stay in memory. With false, a process that creates many sessions does not grow. Default: true. */
  keepClosed?: boolean;
}

/** Stores sessions in memory until the end of the process. Their refs are their ids. */
export class MemorySessionStore implements SessionStore {
  readonly #sessions = new Map<string, KeptSession>();
  readonly #keepClosed: boolean;

  constructor({ keepClosed = true }: MemoryStoreOptions = {}) {
    this.#keepClosed = keepClosed;
  }

  create(header: SessionHeader): SessionLog {
    return this.#log({ header, entries: new Map(), modifiedMs: 0, holder: undefined });
  }

  open(ref: string, onEntry: (entry: SessionEntry) => void, { readOnly = false }: OpenOptions = {}): OpenedSession {
    const session = this.#sessions.get(ref);
    if (!session) throw new SessionError("not_found", `There is no session ${ref} in memory. See list().`);
    if (!readOnly && session.holder) throw lockedError(ref);
    const unpacker = new EntryUnpacker();
    for (const kept of session.entries.values()) onEntry(kept instanceof PackedEntry ? unpacker.read(kept) : kept);
    return { header: session.header, log: readOnly ? this.#readOnlyLog(session) : this.#log(session) };
  }

  async list({ cwd, idPrefix = "", limit }: SessionFilter = {}): Promise<SessionInfo[]> {
    const exact = idPrefix === "" ? undefined : this.#sessions.get(idPrefix);
    const found = exact ? [exact] : [...this.#sessions.values()].filter(({ header }) => header.id.startsWith(idPrefix));
    return found
      .filter(({ header }) => cwd === undefined || header.cwd === cwd)
      .map(({ header, modifiedMs }) => toSessionInfo(header.id, header, modifiedMs))
      .reverse()
      .sort((a, b) => b.modifiedMs - a.modifiedMs)
      .slice(0, limit);
  }

  remove(ref: string): void {
    if (this.#sessions.get(ref)?.holder) throw lockedError(ref);
    this.#sessions.delete(ref);
  }

  /** Creates a log that holds the session's lock until it is closed. */
  #log(session: KeptSession): SessionLog {
    const { id } = session.header;
    const log: SessionLog = {
      ref: id,
      path: null,
      diagnostics: [],
      append: (lines: readonly SessionLine[]) => {
        if (session.holder !== undefined && session.holder !== log) throw lockedError(id);
        for (const line of lines) if (line.type !== "session" && !session.entries.has(line.id)) session.entries.set(line.id, line);
        session.modifiedMs = Date.now();
        // Moved to the end, so that the order decides between sessions with the same millisecond.
        this.#sessions.delete(id);
        if (session.holder === log || this.#keepClosed) this.#sessions.set(id, session);
      },
      read: (ids: readonly string[]) => readEntries(session, ids),
      release: (ids: readonly string[]) => void packAll(session, ids),
      close: () => {
        if (session.holder !== log) return;
        session.holder = undefined;
        if (!this.#keepClosed) this.#sessions.delete(id);
      },
    };
    session.holder = log;
    return log;
  }

  #readOnlyLog(session: KeptSession): SessionLog {
    const { id } = session.header;
    return {
      ref: id,
      path: null,
      diagnostics: [],
      append: () => {
        throw readOnlyError(id);
      },
      read: (ids: readonly string[]) => readEntries(session, ids),
      close() {},
    };
  }
}

function readEntries({ header, entries }: KeptSession, ids: readonly string[]): SessionEntry[] {
  const unpacker = new EntryUnpacker();
  return ids.map((id) => {
    const kept = entries.get(id);
    if (!kept) throw new SessionError("read_failed", `The session ${header.id} has no entry ${id}.`);
    return kept instanceof PackedEntry ? unpacker.read(kept) : kept;
  });
}

/** Packs the entries that are not packed yet. */
async function packAll({ entries }: KeptSession, ids: readonly string[]): Promise<void> {
  // A generator, so that packed entries are released before the next ones are packed.
  const unpacked = function* () {
    for (const id of ids) {
      const kept = entries.get(id);
      if (kept && !(kept instanceof PackedEntry)) yield kept;
    }
  };
  try {
    const { packEntries } = await import("./pack-entries.ts");
    await packEntries(unpacked(), ({ id }, packed) => void entries.set(id, packed));
  } catch {
    // An entry exceeds the maximum length of a string: it and the following entries stay unpacked.
  }
}

function lockedError(ref: string): SessionError {
  return new SessionError("locked", `The session ${ref} is already open. Close it first, or fork it and continue in the copy.`);
}

/** Creates the error for an append to a session that was opened only for reading. */
export function readOnlyError(ref: string): SessionError {
  return new SessionError("write_failed", `The session ${ref} was opened only for reading. Open it for writing to continue it.`);
}

export function toSessionInfo(ref: string, { id, cwd, timestamp, parentSession }: SessionHeader, modifiedMs: number): SessionInfo {
  return { ref, id, cwd, createdAt: timestamp, modifiedMs, ...(parentSession === undefined ? {} : { parentSession }) };
}
