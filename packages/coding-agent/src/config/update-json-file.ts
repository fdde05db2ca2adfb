import { dirname } from "node:path";
import { followLinks, makeFolder, reasonOf, replaceFile } from "@pikit/ai/files";
import { UsageError } from "../errors.ts";
import { FileLock, LockedError } from "../locks/file-lock.ts";
import { describeHolder, isElsewhere } from "../locks/holder.ts";
import { readJsonFile } from "./json-file.ts";

export interface UpdateOptions {
  /** Milliseconds to wait for another process that is changing the file. Default: 5000. */
  waitMs?: number;
}

/**
 * Changes a configuration file that holds one JSON object: reads its content, calls `change` with it and writes the result, under the file's
 * lock. So no change of another process is lost, and the file has either its old or its new content. A missing file is created with mode
 * 0600.
 *
 * @param change - Returns the new content. Called while this process holds the lock.
 * @throws {UsageError} When the file is not a JSON object (it stays unchanged), when another process holds the lock for too long, or when
 *   the file cannot be written.
 */
export async function updateJsonFile(
  path: string,
  change: (content: Record<string, unknown>) => Record<string, unknown>,
  { waitMs = 5000 }: UpdateOptions = {},
): Promise<void> {
  const target = await findTarget(path);
  const held = await lock(target, waitMs);
  try {
    const content = change(readJsonFile(target));
    await write(target, `${JSON.stringify(content, null, 2)}\n`);
  } finally {
    release(held);
  }
}

async function lock(path: string, waitMs: number): Promise<FileLock> {
  try {
    return await FileLock.wait(path, { waitMs });
  } catch (cause) {
    const problem =
      cause instanceof LockedError
        ? describeLocked(path, waitMs, cause)
        : `Cannot lock ${path}: ${reasonOf(cause)}. Check the permissions of its folder.`;
    throw new UsageError("config_unavailable", problem);
  }
}

function describeLocked(path: string, waitMs: number, { lockPath, found }: LockedError): string {
  if ("strange" in found) {
    return `${path} cannot be locked, since ${lockPath} is in the lock's place: ${found.strange}. If no program is changing ${path}, remove it.`;
  }
  const isLocked = `${path} is being changed by ${describeHolder(found.holder)}, which did not finish within ${waitMs} ms. Try again.`;
  return isElsewhere(found.holder) ? `${isLocked} If that process has ended, remove ${lockPath}.` : isLocked;
}

/** Releases the lock. If that fails, the change still counts: other processes replace the lock when this process has ended. */
function release(lock: FileLock): void {
  try {
    lock.release();
  } catch {
    // The folder has become read-only.
  }
}

/** The file to write. Some users keep their configuration elsewhere and link to it: the link stays. */
async function findTarget(path: string): Promise<string> {
  try {
    await makeFolder(dirname(path), 0o700);
    return await followLinks(path);
  } catch (cause) {
    throw writeError(path, cause);
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    await replaceFile(path, text, { mode: 0o600 });
  } catch (cause) {
    throw writeError(path, cause);
  }
}

function writeError(path: string, cause: unknown): UsageError {
  return new UsageError(
    "config_unavailable",
    `Cannot write ${path}: ${reasonOf(cause)}. Check the permissions of the file and its folder.`,
  );
}
