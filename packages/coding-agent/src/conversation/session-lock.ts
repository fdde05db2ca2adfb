import { closeSync, linkSync, lstatSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { assertRegular, fileLimits, openFileSync, readWholeSync, reasonOf } from "@pikit/ai/files/sync";
import { SessionError } from "../errors.ts";
import { createEntryId } from "./ids.ts";
import { lookUpProcess } from "./process-start.ts";

/** What a lock file holds. */
interface Holder {
  pid: number;
  /** As `lookUpProcess` tells it. */
  startTime: string;
  host: string;
}

/** Something in the place of a lock that does not say who holds it. */
interface StrangeLock {
  /** What is wrong with it, as the end of a sentence. */
  problem: string;
}

let own: Holder | undefined;

/** What this process writes into its locks. */
function ownHolder(): Holder {
  own ??= { pid: process.pid, startTime: lookUpProcess(process.pid).startTime, host: hostname() };
  return own;
}

function isSelf(holder: Holder | StrangeLock | undefined): boolean {
  const { pid, startTime, host } = ownHolder();
  return holder !== undefined && "pid" in holder && holder.pid === pid && holder.startTime === startTime && holder.host === host;
}

/** The locks of this process by the path of their file. They are released when it exits; one that is killed leaves them to be replaced. */
const held = new Map<string, SessionLock>();

/**
 * The right to write to one file, held through `<file>.lock` beside it, which says who holds it. There are no timers: a holder counts as
 * long as its process lives.
 */
export class SessionLock {
  readonly #path: string;
  #identity: string;

  private constructor(path: string) {
    this.#path = path;
    this.#identity = identityOf(path);
  }

  /**
   * Takes the lock of a file, which need not exist; its folder must.
   *
   * @param target - With links followed, so that all names of the file have one lock.
   * @param session - The file that the user knows of, for messages. Default: `target`.
   * @throws {SessionError} `locked` while another holder lives, whom the message names, or while something is in the lock's place that
   *   does not say who holds it: another program may have put it there to keep others out.
   * @throws The system's error when the lock file cannot be written.
   */
  static take(target: string, session: string = target): SessionLock {
    const path = `${target}.lock`;
    for (;;) {
      if (held.get(path)?.isHeld) throw lockedError(session, path, ownHolder());
      if (createLockFile(path, JSON.stringify(ownHolder()))) {
        const lock = new SessionLock(path);
        if (held.size === 0) process.on("exit", releaseAll);
        held.set(path, lock);
        return lock;
      }
      const holder = readHolder(path);
      if (holder && "problem" in holder) throw strangeLockError(session, path, holder.problem);
      if (holder && isAlive(holder)) throw lockedError(session, path, holder);
      SessionLock.#removeDead(path, session);
    }
  }

  /**
   * Removes a lock whose holder is gone. That is done under a lock of the lock's own: else a slow process could remove the lock that a
   * quick one has put in the dead one's place.
   */
  static #removeDead(path: string, session: string): void {
    const guard = SessionLock.take(path, session);
    try {
      const holder = readHolder(path);
      if (!holder || ("pid" in holder && !isAlive(holder))) rmSync(path, { force: true });
    } finally {
      guard.release();
    }
  }

  /** Whether the lock file is still the one that was written, and not removed or replaced by somebody else. */
  get isHeld(): boolean {
    if (held.get(this.#path) !== this) return false;
    const identity = identityOf(this.#path);
    if (identity === this.#identity) return true;
    // Something may have touched or copied it.
    if (!isSelf(readHolder(this.#path))) return false;
    this.#identity = identity;
    return true;
  }

  /** Gives the lock up. Safe to call twice. */
  release(): void {
    const isOurs = this.isHeld;
    if (held.get(this.#path) === this) held.delete(this.#path);
    if (held.size === 0) process.off("exit", releaseAll);
    if (isOurs) rmSync(this.#path, { force: true });
  }
}

function releaseAll(): void {
  for (const lock of held.values()) {
    try {
      lock.release();
    } catch {
      // The folder has become read-only. Whoever comes next sees that this process is gone.
    }
  }
}

/** Creates a lock file, or returns false when there is one. It appears with its content, so that nobody reads it half-written. */
function createLockFile(path: string, content: string): boolean {
  const temporary = `${path}.${createEntryId(() => false)}`;
  try {
    writeNew(temporary, content);
    try {
      linkSync(temporary, path);
    } catch (error) {
      if (isExisting(error)) return false;
      return createInPlace(path, content); // a file system without hard links
    }
    return true;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function createInPlace(path: string, content: string): boolean {
  try {
    writeNew(path, content);
    return true;
  } catch (error) {
    if (isExisting(error)) return false;
    throw error;
  }
}

/** Makes a file, or none when it cannot be written. */
function writeNew(path: string, content: string): void {
  const { file } = openFileSync(path, { use: "create" });
  try {
    writeFileSync(file, content);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function isExisting(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EEXIST";
}

/** Who holds a lock; undefined when it is gone, or was cut off by a full disk or a power failure before anybody held it. */
function readHolder(path: string): Holder | StrangeLock | undefined {
  let text: string;
  try {
    // Not through a link: what it leads to may be somebody else's file.
    assertRegular(lstatSync(path), path);
    text = readWholeSync(path, fileLimits.lock).toString("utf8");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : { problem: reasonOf(error) };
  }
  return parseHolder(text) ?? (isCutOff(text) ? undefined : { problem: "it does not say which process made it" });
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, startTime, host } = JSON.parse(text) as Record<string, unknown>;
    if (!Number.isInteger(pid) || Number(pid) <= 0) return undefined;
    return { pid: Number(pid), startTime: String(startTime), host: String(host) };
  } catch {
    return undefined;
  }
}

/** Whether a text is the beginning of what we write, or the zeros that a power failure leaves in its place. */
function isCutOff(text: string): boolean {
  const start = '{"pid":';
  return /^\0*$/.test(text) || start.startsWith(text) || (text.startsWith(start) && !text.includes("}"));
}

/** Processes of other machines cannot be asked, so they count as alive. */
function isAlive({ pid, startTime, host }: Holder): boolean {
  if (host !== hostname()) return true;
  const now = lookUpProcess(pid);
  return now.isRunning && (now.startTime === "" || startTime === "" || now.startTime === startTime);
}

function lockedError(session: string, lockPath: string, { pid, host }: Holder): SessionError {
  const isHere = host === hostname();
  const who = pid === process.pid && isHere ? `this process (${pid})` : `process ${pid}${isHere ? "" : ` of ${host}`}`;
  const elsewhere = isHere ? "" : ` If that process has ended, remove ${lockPath}.`;
  return new SessionError(
    "locked",
    `The session file ${session} is being written by ${who}. End the session there, or fork it and go on in the copy.${elsewhere}`,
  );
}

function strangeLockError(session: string, lockPath: string, problem: string): SessionError {
  return new SessionError(
    "locked",
    `The session file ${session} cannot be locked, since ${lockPath} is in the lock's place: ${problem}. End what may be writing the session, then remove it.`,
  );
}

/** Tells a lock file from a later one of the same name, whose inode may be the same. Empty when there is none. */
function identityOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.dev} ${stats.ino} ${stats.mtimeMs}` : "";
}
