import { closeSync, linkSync, lstatSync, rmSync, writeFileSync } from "node:fs";
import { assertRegular, fileLimits, isMissing, openFileSync, readWholeSync, reasonOf } from "@pikit/ai/files/sync";
import { type Holder, parseHolder } from "./holder.ts";

/**
 * What is in the place of a lock.
 *
 * - `absent`: nothing
 * - `held`: a lock that names its holder, which may have ended
 * - `cutOff`: the beginning of a lock, or zeros: a full disk or a power failure interrupted the process that made it
 * - `strange`: something else; `problem` says what, as the end of a sentence
 */
export type LockState =
  | { kind: "absent" }
  | { kind: "held"; holder: Holder }
  | { kind: "cutOff" }
  | { kind: "strange"; problem: string };

export function readLockFile(path: string): LockState {
  let text: string;
  try {
    // A link is not followed: it may lead to another program's file.
    assertRegular(lstatSync(path), path);
    text = readWholeSync(path, fileLimits.lock).toString("utf8");
  } catch (error) {
    return isMissing(error) ? { kind: "absent" } : { kind: "strange", problem: reasonOf(error) };
  }
  const holder = parseHolder(text);
  if (holder) return { kind: "held", holder };
  return isCutOff(text) ? { kind: "cutOff" } : { kind: "strange", problem: "it does not say which process made it" };
}

/** Whether a text is the beginning of what we write, or the zeros that a power failure leaves in its place. */
function isCutOff(text: string): boolean {
  const start = '{"pid":';
  return /^\0*$/.test(text) || start.startsWith(text) || (text.startsWith(start) && !text.includes("}"));
}

/**
 * Creates a lock file, or returns false when its place is taken. The file appears with its content, so that no process reads a part of it.
 *
 * @throws The system's error when it cannot be written.
 */
export function createLockFile(path: string, holder: Holder): boolean {
  const content = JSON.stringify(holder);
  const temporary = `${path}.${Math.random().toString(16).slice(2, 10)}`;
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

/** Distinguishes a lock file from a later one at the same path, which may have the same inode. Undefined when there is none. */
export function identifyFile(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino} ${stats.mtimeMs}`;
}
