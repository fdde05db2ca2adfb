import { closeSync, linkSync, lstatSync, rmSync, writeFileSync } from "node:fs";
import { assertRegular, fileLimits, isMissing, openFileSync, readWholeSync, reasonOf } from "@pikit/ai/files/sync";
import { type Holder, parseHolder } from "./holder.ts";

/**
 * The state of a lock file.
 *
 * - `absent`: there is no file
 * - `held`: the file names the holder, which may have ended
 * - `cutOff`: the file has only the beginning of a lock, or zeros, after a full disk or a power failure
 * - `strange`: the path holds something else; `problem` describes it as the end of a sentence
 */
export type LockState =
  | { kind: "absent" }
  | { kind: "held"; holder: Holder }
  | { kind: "cutOff" }
  | { kind: "strange"; problem: string };

/** Reads a lock file without following a link. */
export function readLockFile(path: string): LockState {
  let text: string;
  try {
    // A link may lead to a file of another program.
    assertRegular(lstatSync(path), path);
    text = readWholeSync(path, fileLimits.lock).toString("utf8");
  } catch (error) {
    return isMissing(error) ? { kind: "absent" } : { kind: "strange", problem: reasonOf(error) };
  }
  const holder = parseHolder(text);
  if (holder) return { kind: "held", holder };
  return isCutOff(text) ? { kind: "cutOff" } : { kind: "strange", problem: "it does not say which process made it" };
}

/** Whether a text is the beginning of a lock, or the zeros that a power failure leaves. */
function isCutOff(text: string): boolean {
  const start = '{"pid":';
  return /^\0*$/.test(text) || start.startsWith(text) || (text.startsWith(start) && !text.includes("}"));
}

/**
 * Creates a lock file, or returns false if the path exists. The file appears with its full content, so no process reads a part of it.
 *
 * @throws The system's error when the file cannot be written.
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

/** Creates a file. If writing fails, no file is left. */
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

/** The identity of a file. A later file at the same path has another one, even with the same inode. Undefined if there is no file. */
export function identifyFile(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino} ${stats.mtimeMs}`;
}
