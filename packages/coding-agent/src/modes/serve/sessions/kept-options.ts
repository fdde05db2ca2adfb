import { rmSync, writeFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileLimits, isMissing, makeFolderSync, readWholeSync, reasonOf, replaceFileSync } from "@pikit/ai/files";
import { SessionError } from "../../../errors.ts";
import { readFields } from "../../../protocol/validate.ts";
import { type KeptOptions, KeptOptionsSchema } from "../http/route-schemas.ts";

/** The file of kept options has the name of the session file, with another ending. */
export const keptEnding = ".serve.json";

const sessionEnding = ".jsonl";

/** Milliseconds after which the options of a session without any message are removed: 30 days. */
const maxUnusedMs = 30 * 24 * 60 * 60 * 1000;

/** The facts that the server keeps about a session: in a file beside the session file, or in the store that servers share. */
export interface KeptSession {
  id: string;
  /** The working folder, for a session whose own file does not exist yet. */
  cwd: string;
  /** ISO 8601. */
  createdAt: string;
  options: KeptOptions;
}

/** The options that restrict a session. A client must not get rid of them by moving to the session. */
const restricting = ["approval", "readOnly", "tools", "limits", "offline", "trustProject", "mcp"] as const;

/** The file of the kept options of a session file. */
export function keptFileOf(sessionFile: string): string {
  return (sessionFile.endsWith(sessionEnding) ? sessionFile.slice(0, -sessionEnding.length) : sessionFile) + keptEnding;
}

/**
 * Reads the kept facts of a session.
 *
 * @param file - See `keptFileOf`.
 * @returns Undefined if there is no such file.
 * @throws {SessionError} `read_failed` for an unreadable file: opened without its options, the session could do more than it may.
 */
export async function readKept(file: string): Promise<KeptSession | undefined> {
  try {
    return await checkKept(JSON.parse(readWholeSync(file, fileLimits.configuration).toString("utf8")));
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    const reason = cause instanceof SyntaxError ? "it is not valid JSON" : reasonOf(cause);
    throw new SessionError(
      "read_failed",
      `Cannot read the options of the session from ${file}: ${reason}. Correct the file, or remove it to open the session without options.`,
    );
  }
}

/**
 * Checks what was kept about a session.
 *
 * @throws {Error} The message is the reason, as a part of a sentence.
 */
export async function checkKept(kept: unknown): Promise<KeptSession> {
  const { id, cwd, createdAt, options } = (isObject(kept) ? kept : {}) as Partial<Record<keyof KeptSession, unknown>>;
  if (typeof id !== "string" || typeof cwd !== "string" || typeof createdAt !== "string" || !isObject(options)) {
    throw new Error("it has no options");
  }
  return { id, cwd, createdAt, options: (await readFields(KeptOptionsSchema, options)) as KeptOptions };
}

/**
 * Keeps the options of a session. The file is complete when the function returns.
 *
 * @throws {SessionError} `write_failed`.
 */
export function writeKept(file: string, kept: KeptSession): void {
  try {
    makeFolderSync(dirname(file), 0o700);
    replaceFileSync(file, (descriptor) => writeFileSync(descriptor, `${JSON.stringify(kept, null, 2)}\n`));
  } catch (cause) {
    const problem = `Cannot write the options of the session to ${file}: ${reasonOf(cause)}. Check permissions.`;
    throw new SessionError("write_failed", problem, { cause });
  }
}

/** Removes a file of kept options. A failure has no effect: the file of the session itself counts. */
export function removeKept(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The folder has become read-only.
  }
}

/**
 * Removes old options of sessions that never had a message: nothing else would ever remove them. Errors are ignored.
 *
 * @param folder - A folder of session files.
 */
export async function removeStale(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const sessions = new Set(names.filter((name) => name.endsWith(sessionEnding)).map((name) => keptFileOf(name)));
  for (const name of names) {
    if (!name.endsWith(keptEnding) || sessions.has(name)) continue;
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined);
    if (stats && Date.now() - stats.mtimeMs > maxUnusedMs) removeKept(path);
  }
}

/** Whether both have the same options that restrict a session. */
export function restrictsAlike(a: KeptOptions, b: KeptOptions): boolean {
  return restricting.every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
