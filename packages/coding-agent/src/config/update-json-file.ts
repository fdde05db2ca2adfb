/// <reference path="./proper-lockfile.d.ts" />
import { dirname } from "node:path";
import { followLinks, makeFolder, reasonOf, replaceFile } from "@pikit/ai/files";
import { UsageError } from "../errors.ts";
import { readJsonFile } from "./json-file.ts";

export interface UpdateOptions {
  /** Milliseconds to wait for another process that is changing the file. Default: 5000. */
  waitMs?: number;
}

/** Milliseconds between two looks at a lock. */
const lookEveryMs = 50;
/** Milliseconds after which a lock whose owner has died may be taken. */
const staleMs = 10_000;

/**
 * Changes a configuration file that holds one JSON object: reads what is there now, hands it to `change`, and puts the result in its place,
 * so that what others wrote meanwhile stays. At any moment the file is either the old or the new one. A missing file is begun with mode
 * 0600.
 *
 * @param change - Returns the new content; called while nobody else who uses this function can write.
 * @throws {UsageError} When the file is malformed, which it then stays, when another process does not let go of it in time, or when it
 *   cannot be written.
 */
export async function updateJsonFile(
  path: string,
  change: (content: Record<string, unknown>) => Record<string, unknown>,
  { waitMs = 5000 }: UpdateOptions = {},
): Promise<void> {
  const target = await findTarget(path);
  const unlock = await lock(target, waitMs);
  try {
    const content = change(readJsonFile(target));
    await write(target, `${JSON.stringify(content, null, 2)}\n`);
  } finally {
    await unlock();
  }
}

async function lock(path: string, waitMs: number): Promise<() => Promise<void>> {
  const { lock } = await import("proper-lockfile");
  const retries = { retries: Math.ceil(waitMs / lookEveryMs), factor: 1, minTimeout: lookEveryMs, maxTimeout: lookEveryMs };
  try {
    const release = await lock(path, { retries, stale: staleMs, realpath: false, onCompromised: () => {} });
    // Letting go of a lock that was taken away meanwhile is no failure of the change.
    return () => release().catch(() => {});
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code !== "ELOCKED")
      throw new UsageError("config_unavailable", `Cannot lock ${path}: ${code ?? message}. Check the permissions of its folder.`);
    throw new UsageError(
      "config_unavailable",
      `${path} is being changed by another process, and was not let go of in ${waitMs} ms. Try again.`,
    );
  }
}

/** People keep their configuration elsewhere and link to it: the link stays. */
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
