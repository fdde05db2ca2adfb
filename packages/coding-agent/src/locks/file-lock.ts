import { rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { describeHolder, type Holder, isElsewhere, isSameProcess, mayBeRunning, ownProcess } from "./holder.ts";
import { createLockFile, identifyFile, type LockState, readLockFile } from "./lock-file.ts";

/** Milliseconds between two attempts to take a lock that another process holds. */
const retryEveryMs = 50;

export interface TakeLockOptions {
  /**
   * Whether to replace the lock of a holder on another host or in another container. Correct only if that process has ended, which this
   * system cannot see. A holder that runs here keeps its lock. Default: false.
   */
  takeOver?: boolean;
}

/** The lock has a holder that may still run, or the path of the lock holds something that names no process. */
export class LockedError extends Error {
  override readonly name = "LockedError";
  readonly lockPath: string;
  /** `strange`: as in `LockState`. */
  readonly found: { holder: Holder } | { strange: string };

  constructor(lockPath: string, found: { holder: Holder } | { strange: string }) {
    super(`${lockPath}: ${"holder" in found ? `held by ${describeHolder(found.holder)}` : found.strange}`);
    this.lockPath = lockPath;
    this.found = found;
  }
}

/** The locks of this process by the path of the lock file. They are released at exit; if the process is killed, other processes replace them. */
const held = new Map<string, FileLock>();

/**
 * The right to write to one file. The file `<file>.lock` names the holder. A lock ends with its release or with its holder; it has no timeout,
 * because a process may be stopped for any time and then continue. See docs/decisions/how-files-are-locked.md.
 */
export class FileLock {
  readonly #path: string;
  #identity: string | undefined;

  private constructor(path: string) {
    this.#path = path;
    this.#identity = identifyFile(path);
  }

  /**
   * Takes the lock of a file. The file need not exist, its folder must.
   *
   * @param file - The path with symbolic links resolved, so that all names of the file have one lock.
   * @throws {LockedError} While another holder has the lock.
   * @throws The system's error when the lock file cannot be written.
   */
  static take(file: string, { takeOver = false }: TakeLockOptions = {}): FileLock {
    const path = `${file}.lock`;
    // The caller knows that the holder found first has ended. Another holder that appears meanwhile is running.
    let ended: Holder | undefined;
    for (;;) {
      if (held.get(path)?.isHeld) throw new LockedError(path, { holder: ownProcess() });
      if (createLockFile(path, { ...ownProcess(), since: new Date().toISOString() })) return FileLock.#hold(path);
      const state = readLockFile(path);
      if (state.kind === "strange") throw new LockedError(path, { strange: state.problem });
      if (state.kind === "held") {
        const { holder } = state;
        if (takeOver && isElsewhere(holder)) ended ??= holder;
        if (mayBeRunning(holder) && !isSameLock(holder, ended)) throw new LockedError(path, { holder });
      }
      if (state.kind !== "absent") FileLock.#remove(path, state);
    }
  }

  /**
   * Like `take`, but waits while another holder has the lock.
   *
   * @throws {LockedError} When it was not released within `waitMs` milliseconds.
   */
  static async wait(file: string, { waitMs, ...options }: TakeLockOptions & { waitMs: number }): Promise<FileLock> {
    const giveUpAt = performance.now() + waitMs;
    for (;;) {
      try {
        return FileLock.take(file, options);
      } catch (error) {
        if (!(error instanceof LockedError) || performance.now() >= giveUpAt) throw error;
      }
      await setTimeout(retryEveryMs);
    }
  }

  static #hold(path: string): FileLock {
    const lock = new FileLock(path);
    if (held.size === 0) process.on("exit", releaseAll);
    held.set(path, lock);
    return lock;
  }

  /**
   * Removes the lock of a holder that has ended, under a second lock. Without it, a slow process could remove the new lock of a process
   * that replaced the old one meanwhile.
   */
  static #remove(path: string, state: LockState): void {
    // Never taken over: it is held for a moment, and two processes that take over at the same time must not both hold it.
    const guard = FileLock.take(path);
    try {
      if (isSameState(readLockFile(path), state)) rmSync(path, { force: true });
    } finally {
      guard.release();
    }
  }

  /** Whether the lock file is still the one of this process, and was not removed or replaced. */
  get isHeld(): boolean {
    if (held.get(this.#path) !== this) return false;
    const identity = identifyFile(this.#path);
    if (identity === undefined) return false;
    if (identity === this.#identity) return true;
    // The file may have been touched or copied.
    const state = readLockFile(this.#path);
    if (state.kind !== "held" || !isSameProcess(state.holder, ownProcess())) return false;
    this.#identity = identity;
    return true;
  }

  /** Releases the lock. A second call has no effect. */
  release(): void {
    const isOurs = this.isHeld;
    if (held.get(this.#path) === this) held.delete(this.#path);
    if (held.size === 0) process.off("exit", releaseAll);
    if (isOurs) rmSync(this.#path, { force: true });
  }
}

function isSameLock(a: Holder, b: Holder | undefined): boolean {
  return b !== undefined && isSameProcess(a, b) && a.since === b.since;
}

function isSameState(a: LockState, b: LockState): boolean {
  if (a.kind === "held" && b.kind === "held") return isSameLock(a.holder, b.holder);
  return a.kind === b.kind;
}

function releaseAll(): void {
  for (const lock of held.values()) {
    try {
      lock.release();
    } catch {
      // The folder has become read-only. The next process sees that this one has ended.
    }
  }
}
