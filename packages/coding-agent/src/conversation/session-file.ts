import { lstatSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { assertRegular, FileError, followLinksSync, makeFolderSync, readStartSync, reasonOf } from "@pikit/ai/files";
import { SessionError } from "../errors.ts";
import type { FileLock } from "../locks/file-lock.ts";
import type { SessionHeader } from "../protocol/frames.ts";
import { encodeLine } from "../protocol/jsonl.ts";
import { appendWhole } from "./append-whole.ts";
import { type SessionEntry, sessionVersion } from "./entries.ts";
import { EntryReader } from "./entry-reader.ts";
import { readOnlyError } from "./memory-store.ts";
import {
  describeUnreadable,
  type FileState,
  readOpenHeader,
  readSessionHeader,
  scanOpenSession,
  scanSession,
  withReadErrors,
} from "./read-session.ts";
import { migrateSessionFile, writeSession } from "./rewrite-session.ts";
import { lockSession } from "./session-lock.ts";
import type { OpenOptions, SessionLine, SessionLockOptions, SessionLog } from "./session-store.ts";

/**
 * A session as a file of JSON lines, created with the first append. Each append is one synchronous write of some 40 µs per line, so its lines
 * are in the file even if the process is killed afterwards.
 *
 * The writer holds the file's lock from the first `append`, `open` or `reserve` until `close`.
 */
export class SessionFile implements SessionLog {
  readonly path: string;
  readonly #diagnostics: string[] = [];
  /** The path with symbolic links resolved. */
  #target: string | undefined;
  #lock: FileLock | undefined;
  /** The state of the file after the last reading or writing; undefined before. */
  #known: FileState | undefined;
  #header: SessionHeader | undefined;
  /** The offset of each entry in bytes, in the order of appending; undefined while the file has an older format. */
  #places = new Map<string, number | undefined>();
  /** The entries of a file with an older format, until the first append converts it. */
  #unplaced = new Map<string, SessionEntry>();
  #reader: EntryReader | undefined;
  #isClosed = false;
  #isReadOnly = false;

  constructor(path: string) {
    this.path = path;
  }

  get ref(): string {
    return this.path;
  }

  get diagnostics(): readonly string[] {
    return this.#diagnostics;
  }

  /**
   * Reads the session and takes its lock. With `readOnly` it takes no lock, and another process may write the session.
   *
   * @throws {SessionError} `locked`; `not_found`, `read_failed`, `not_a_session`, `unsupported_version`. The file is then closed.
   */
  open(onEntry: (entry: SessionEntry) => void, { readOnly = false, takeOverLock = false }: OpenOptions = {}): SessionHeader {
    // First, so that no lock file is created next to a file that is not a session.
    readSessionHeader(this.path);
    this.#isReadOnly = readOnly;
    if (!readOnly) this.reserve({ takeOverLock });
    try {
      withReadErrors(this.path, () => {
        this.#reader = new EntryReader(this.path);
        this.#known = this.#scan(this.#reader.file, onEntry);
      });
      return this.#header as SessionHeader;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * Takes the lock of an existing file. If no lock file can be created, the first append reports the error.
   *
   * @throws {SessionError} `locked`.
   */
  reserve({ takeOverLock = false }: SessionLockOptions = {}): void {
    try {
      this.#takeLock(takeOverLock);
    } catch (error) {
      if (error instanceof SessionError) throw error;
    }
  }

  append(lines: readonly SessionLine[], recall: (id: string) => SessionEntry | undefined = () => undefined): void {
    if (this.#isReadOnly) throw readOnlyError(this.path);
    try {
      const target = this.#takeLock();
      for (const line of lines) if (line.type === "session") this.#header = line;
      const stats = lstatSync(target, { throwIfNoEntry: false });
      // Also rejects a symbolic link that has replaced the file, because its target is unknown.
      if (stats) assertRegular(stats, target);
      const known = this.#known;
      if (known && stats && known.dev === stats.dev && known.ino === stats.ino && known.size === stats.size) {
        this.#known = this.#addLines(target, known, lines);
      } else {
        this.#catchUp(target, stats, lines, recall);
      }
      this.#unplaced.clear();
      this.#reader ??= tryOpen(target);
    } catch (cause) {
      if (cause instanceof SessionError) throw cause;
      const reason = `${reasonOf(cause)}. ${adviceOn(cause)}`;
      throw new SessionError("write_failed", `Cannot write to the session file ${this.path}: ${reason}`, { cause });
    } finally {
      if (this.#isClosed) this.#release();
    }
  }

  read(ids: readonly string[]): SessionEntry[] {
    try {
      return ids.map((id) => this.#read(id) ?? this.#failToRead(id));
    } finally {
      if (this.#isClosed) this.#closeReader();
      else this.#reader?.forget();
    }
  }

  /** Releases the lock. A later append takes the lock only while it runs. */
  close(): void {
    this.#isClosed = true;
    this.#release();
  }

  #closeReader(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }

  #release(): void {
    this.#closeReader();
    try {
      this.#lock?.release();
    } catch {
      // The folder has become read-only. The next process can take the lock when this process has ended.
    }
    this.#lock = undefined;
  }

  /**
   * Takes the lock, even if it was removed meanwhile, and returns the path of the locked file.
   *
   * @param takeOver - True only while the session is opened. Later, another host that has taken the lock from this process keeps it.
   */
  #takeLock(takeOver = false): string {
    if (this.#target !== undefined && this.#lock?.isHeld) return this.#target;
    // Conversations are private: only the owner may read them.
    makeFolderSync(dirname(this.path), 0o700);
    this.#target ??= followLinksSync(this.path);
    makeFolderSync(dirname(this.#target), 0o700);
    this.#lock?.release();
    this.#lock = undefined;
    this.#lock = lockSession(this.#target, this.path, { takeOver });
    return this.#target;
  }

  /** Reads the whole file and stores the offsets of its entries. */
  #scan(file: number, onEntry: (entry: SessionEntry) => void): FileState {
    return scanOpenSession(file, this.path, {
      onHeader: (header) => {
        this.#header = header;
      },
      onEntry: (entry, offset) => {
        if (this.#places.has(entry.id)) return;
        this.#places.set(entry.id, offset);
        if (offset === undefined) this.#unplaced.set(entry.id, entry);
        onEntry(entry);
      },
      onUnreadable: (_bytes, lineNumber) => void this.#diagnostics.push(describeUnreadable(this.path, lineNumber)),
    });
  }

  #read(id: string): SessionEntry | undefined {
    const offset = this.#places.get(id);
    if (offset === undefined) return this.#unplaced.get(id);
    this.#reader ??= tryOpen(this.#target ?? this.path);
    return this.#reader?.read(id, offset);
  }

  #failToRead(id: string): never {
    throw new SessionError(
      "read_failed",
      `Cannot read the entry ${id} from the session file ${this.path}: another program has changed the file. Restore it.`,
    );
  }

  /** Appends lines to a file with this state. Converts an older format first. */
  #addLines(target: string, found: FileState, lines: Iterable<SessionLine>): FileState {
    const state = found.version === sessionVersion ? found : this.#migrate(target);
    const added: SessionLine[] = [];
    const texts = function* () {
      for (const line of lines) {
        const start = state.endsWithinLine && added.length === 0 ? "\n" : "";
        added.push(line);
        yield start + encodeLine(line);
      }
    };
    const offsets = appendWhole(target, texts(), state);
    added.forEach((line, index) => {
      const start = state.endsWithinLine && index === 0 ? 1 : 0;
      this.#setPlace(line, (offsets[index] as number) + start);
    });
    return added.length > 0 ? { ...state, size: offsets.at(-1) as number, endsWithinLine: false } : state;
  }

  #setPlace(line: SessionLine, offset: number): void {
    if (line.type !== "session") this.#places.set(line.id, offset);
  }

  #migrate(target: string): FileState {
    const state = migrateSessionFile(target);
    const migrated = new Map<string, number | undefined>();
    scanSession(target, { onEntry: ({ id }, offset) => void (migrated.has(id) || migrated.set(id, offset)) });
    for (const [id, offset] of migrated) this.#places.set(id, offset);
    this.#closeReader();
    return state;
  }

  /**
   * Adds the missing lines of the session to a file that has changed since the last access: it is new, or was deleted, truncated, replaced or
   * written by another process. Never overwrites existing content.
   */
  #catchUp(
    target: string,
    stats: Stats | undefined,
    lines: readonly SessionLine[],
    recall: (id: string) => SessionEntry | undefined,
  ): void {
    const header = this.#header;
    if (!header) throw new SessionError("write_failed", `Cannot write to the session file ${this.path} before its header.`);
    const isFresh = !stats || isStartOf(target, stats.size, encodeLine(header));
    const present = isFresh ? { ids: new Map<string, number | undefined>(), state: undefined } : this.#lookInto(target, header.id);
    const added = new Set(lines.map((line) => (line.type === "session" ? "" : line.id)));
    const missing = [...this.#places.keys()].filter((id) => !present.ids.has(id) && !added.has(id));
    const recovered: SessionEntry[] = [];
    const isReadable = this.#isStillIn(header.id);
    for (const id of missing) {
      const entry = recall(id) ?? this.#unplaced.get(id) ?? (isReadable ? this.#read(id) : undefined);
      if (entry) recovered.push(entry);
    }
    const entries = [...recovered, ...lines.filter((line) => line.type !== "session" && !present.ids.has(line.id))];
    const before = this.#places;
    this.#places = new Map(present.ids);
    try {
      this.#known = present.state
        ? this.#addLines(target, present.state, entries)
        : writeSession(target, [header, ...entries], (line, offset) => this.#setPlace(line, offset));
    } catch (error) {
      this.#places = before;
      throw error;
    }
    this.#closeReader();
    const lost = missing.length - recovered.length;
    if (lost > 0) this.#diagnostics.push(`${lost} entries of ${this.path} are lost: another program has truncated the file.`);
  }

  /** Whether the open file is still this session. It may have been removed from its folder. */
  #isStillIn(sessionId: string): boolean {
    try {
      return this.#reader === undefined || readOpenHeader(this.#reader.file, this.path).id === sessionId;
    } catch {
      return false; // truncated, or overwritten by another program
    }
  }

  /** Reads the entries of a file that should be this session. */
  #lookInto(target: string, sessionId: string): { ids: Map<string, number | undefined>; state: FileState } {
    const ids = new Map<string, number | undefined>();
    try {
      const state = scanSession(target, {
        onHeader: ({ id }) => {
          if (id !== sessionId) throw new SessionError("not_a_session", `${this.path} contains another session.`);
        },
        onEntry: ({ id }, offset) => {
          if (!ids.has(id)) ids.set(id, offset);
        },
      });
      return { ids, state };
    } catch (cause) {
      if (!(cause instanceof SessionError)) throw cause;
      throw new SessionError(
        "write_failed",
        `Cannot write to the session file ${this.path}: another program has replaced its content. Move it away; then pi writes the session again.`,
        { cause },
      );
    }
  }
}

/** Error codes of a folder that cannot be created. */
const folderCodes: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "EEXIST", "EROFS"]);

function adviceOn(cause: unknown): string {
  if (cause instanceof FileError) return "Move it away; then pi writes the session again.";
  if (folderCodes.has((cause as NodeJS.ErrnoException).code)) return "Choose another folder for sessions.";
  return "Free space or check permissions.";
}

/** Undefined if the file cannot be opened, for example because the process has too many open files. The next read tries again. */
function tryOpen(path: string): EntryReader | undefined {
  try {
    return new EntryReader(path);
  } catch {
    return undefined;
  }
}

/** Whether a file has only the beginning of a header, because it was truncated. */
function isStartOf(path: string, size: number, header: string): boolean {
  return size < Buffer.byteLength(header) && header.startsWith(readStartSync(path, size).bytes.toString("utf8"));
}
