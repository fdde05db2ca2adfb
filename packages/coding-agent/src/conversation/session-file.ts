import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { SessionError } from "../errors.ts";
import { encodeLine } from "../protocol/jsonl.ts";
import { type LoadedSession, sessionVersion } from "./entries.ts";
import { type FileState, loadSession, readSessionHeader, scanSession } from "./read-session.ts";
import { migrateSessionFile, writeSession } from "./rewrite-session.ts";
import { SessionLock } from "./session-lock.ts";
import type { SessionLine, SessionStore } from "./session-store.ts";

/**
 * A session as a file of JSON lines, created with its first append. Appends are synchronous, one write each: a line that was told of is
 * in the file, whatever happens to the process afterwards, and a line costs some 40 µs.
 *
 * Whoever writes holds the file's lock, from the first append, `open` or `reserve` on until `close`.
 */
export class SessionFile implements SessionStore {
  readonly path: string;
  /** The path with links followed. */
  #target: string | undefined;
  #lock: SessionLock | undefined;
  /** How the file was read or left; undefined before. */
  #known: FileState | undefined;
  #isClosed = false;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Reads the session to go on with it: it cannot be opened so by anybody else until it is closed here.
   *
   * @throws {SessionError} `locked`, and what `readSessionFile` throws. The file is not kept open then.
   */
  open(): LoadedSession {
    // First, so that no lock appears beside what is no session.
    readSessionHeader(this.path);
    this.reserve();
    try {
      const { loaded, state } = loadSession(this.path);
      this.#known = state;
      return loaded;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * Keeps others from writing to the file, which exists. A folder that takes no lock file is not reported here, but with the first append.
   *
   * @throws {SessionError} `locked`.
   */
  reserve(): void {
    try {
      this.#takeLock();
    } catch (error) {
      if (error instanceof SessionError) throw error;
    }
  }

  append(lines: readonly SessionLine[], readAll: () => readonly SessionLine[]): void {
    try {
      const target = this.#takeLock();
      const stats = statSync(target, { throwIfNoEntry: false });
      if (stats && !stats.isFile()) {
        appendWhole(target, encodeLines(lines)); // a device: nothing to look at afterwards
        return;
      }
      const known = this.#known;
      const isAsLeft = known && stats && known.dev === stats.dev && known.ino === stats.ino && known.size === stats.size;
      this.#known = isAsLeft ? addLines(target, known, lines) : catchUp(target, this.path, stats, readAll());
    } catch (cause) {
      if (cause instanceof SessionError) throw cause;
      const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
      throw new SessionError(
        "write_failed",
        `Cannot write to the session file ${this.path}: ${reason}. Free space or check permissions.`,
        { cause },
      );
    } finally {
      if (this.#isClosed) this.#release();
    }
  }

  /** Gives the lock up. An append that comes later takes it for as long as it lasts. */
  close(): void {
    this.#isClosed = true;
    this.#release();
  }

  #release(): void {
    try {
      this.#lock?.release();
    } catch {
      // The folder has become read-only. Whoever comes next sees when this process is gone.
    }
    this.#lock = undefined;
  }

  /** Makes sure that the lock is held, also when somebody has removed it, and returns the file that it is for. */
  #takeLock(): string {
    if (this.#target !== undefined && this.#lock?.isHeld) return this.#target;
    // Conversations are private: only their owner may read them.
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    this.#target ??= followLinks(this.path);
    mkdirSync(dirname(this.#target), { recursive: true, mode: 0o700 });
    this.#release();
    const isOther = statSync(this.#target, { throwIfNoEntry: false })?.isFile() === false; // such as a device
    if (!isOther) this.#lock = SessionLock.take(this.#target, this.path);
    return this.#target;
  }
}

/**
 * Adds to a file what it has not of a session. It is not as it was left: new, deleted, truncated, replaced, or written to by somebody
 * else. Nothing that is in it is overwritten.
 *
 * @param path - The file as the user knows it.
 * @param all - The session's lines, header first.
 */
function catchUp(target: string, path: string, stats: Stats | undefined, all: readonly SessionLine[]): FileState {
  const [header, ...entries] = all;
  if (!stats || !header || isStartOf(target, stats.size, encodeLine(header))) return writeSession(target, all);
  const ids = new Set<string>();
  try {
    const found = scanSession(target, {
      onHeader: ({ id }) => {
        if (id !== header.id) throw new SessionError("not_a_session", `${path} is another session.`);
      },
      onEntry: ({ id }) => void ids.add(id),
    });
    return addLines(
      target,
      found,
      entries.filter(({ id }) => !ids.has(id)),
    );
  } catch (cause) {
    if (!(cause instanceof SessionError)) throw cause;
    throw new SessionError(
      "write_failed",
      `Cannot write to the session file ${path}: it holds something else now. Move it away, and the session is written again.`,
      { cause },
    );
  }
}

/** Appends lines to a file that is in this state, after it has been brought to the current format. */
function addLines(target: string, found: FileState, lines: readonly SessionLine[]): FileState {
  const state = found.version === sessionVersion ? found : migrateSessionFile(target);
  if (lines.length === 0) return state;
  const text = encodeLines(lines);
  const written = appendWhole(target, state.endsWithinLine ? `\n${text}` : text);
  return { ...state, size: state.size + written, endsWithinLine: false };
}

function encodeLines(lines: readonly SessionLine[]): string {
  return lines.map(encodeLine).join("");
}

/**
 * Appends all of the text or none of it: what a full disk took of it is removed again, so that it can be written once there is space.
 *
 * @returns Bytes written.
 */
function appendWhole(path: string, text: string): number {
  const bytes = Buffer.from(text);
  const file = openSync(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    const { size } = fstatSync(file);
    try {
      appendFileSync(file, bytes);
    } catch (error) {
      cutBack(file, size);
      throw error;
    }
  } finally {
    closeSync(file);
  }
  return bytes.length;
}

function cutBack(file: number, size: number): void {
  try {
    ftruncateSync(file, size);
  } catch {
    // No plain file. What stays of the lines is found by the next append, since the size is another.
  }
}

/** Whether a file holds the beginning of a header and nothing else, left by something that cut it off. */
function isStartOf(path: string, size: number, header: string): boolean {
  return size < Buffer.byteLength(header) && header.startsWith(readFileSync(path, "utf8"));
}

/** Follows links as far as they lead, also those whose file is yet to be made. */
function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const target = join(realpathSync(dirname(path)), basename(path));
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || !isLink(target)) return target;
    return followLinks(resolve(dirname(target), readlinkSync(target)));
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
