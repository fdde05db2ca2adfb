import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { readStartSync } from "@pikit/ai/files/sync";
import { SessionError, UsageError } from "../errors.ts";
import { Conversation } from "./conversation.ts";
import { forkConversation } from "./fork.ts";
import { isSessionId, looksLikePath } from "./ids.ts";
import { openConversation } from "./open-session.ts";
import type { SessionInfo, SessionLockOptions, SessionStore } from "./session-store.ts";

/**
 * The conversation of a session.
 *
 * - `new` (default): a new one, stored from its first message on
 * - `memory`: a new one that is not stored
 * - `continue`: the latest one of this folder; a new one if there is none
 * - `path`: the one in this file (or with this ref of another store), which must exist; with `orBegin`, a new one if there is no such file
 * - `idPrefix`: the one of this folder whose id begins with the text, which must exist
 * - `id`: the one of this folder with this id; a new one with this id if there is none
 * - `fork`: a copy of the active path of another one, given by path or by the beginning of its id; it may be open elsewhere. `id`: the id of the
 *   copy. Default: a new one
 */
export type SessionChoice =
  | "new"
  | "memory"
  | "continue"
  | { path: string; orBegin?: boolean }
  | { idPrefix: string }
  | { id: string }
  | { fork: string; id?: string };

export interface ChooseOptions extends SessionLockOptions {
  /** Called with a line of text when there is no session to continue. */
  report?: (notice: string) => void;
}

/**
 * Opens or creates the chosen conversation.
 *
 * @throws {SessionError} When the session cannot be opened.
 * @throws {UsageError} When the id is not a valid session id.
 */
export async function chooseSession(
  store: SessionStore,
  choice: Exclude<SessionChoice, "new" | "memory">,
  cwd: string,
  { report, ...options }: ChooseOptions = {},
): Promise<Conversation> {
  if (choice === "continue") {
    const [latest] = await store.list({ cwd, limit: 1 });
    if (latest) return openConversation(store, latest.ref, options);
    report?.(`There is no session of ${cwd} to go on with; a new one begins.`);
    return Conversation.create(store, { cwd });
  }
  if ("path" in choice) {
    const { path, orBegin = false } = choice;
    return isEmptyFile(path) || (orBegin && !existsSync(path))
      ? begin(resolve(path), cwd, options)
      : openConversation(store, path, options);
  }
  if ("fork" in choice) return forkOf(store, choice, cwd);
  if ("id" in choice) return openOrBegin(store, choice.id, cwd, options);
  return openConversation(store, await findByPrefix(store, choice.idPrefix), options);
}

/**
 * The ref of a session that the user names by a path or by the beginning of an id.
 *
 * @throws {SessionError} `not_found` when no session, or more than one, has an id that begins with the text.
 */
export async function findSession(store: SessionStore, text: string): Promise<string> {
  return looksLikePath(text) ? text : findByPrefix(store, text);
}

async function openOrBegin(store: SessionStore, id: string, cwd: string, options: SessionLockOptions): Promise<Conversation> {
  checkId(id);
  const existing = await findById(store, id);
  return existing ? openConversation(store, existing.ref, options) : Conversation.create(store, { cwd, id });
}

function checkId(id: string): void {
  if (isSessionId(id)) return;
  throw new UsageError(
    "invalid_session_id",
    `"${id}" cannot be a session id: use 1 to 128 letters, digits, ".", "_" or "-", with a letter or digit at both ends.`,
  );
}

async function findById(store: SessionStore, id: string): Promise<SessionInfo | undefined> {
  return (await store.list({ idPrefix: id })).find((info) => info.id === id);
}

async function findByPrefix(store: SessionStore, idPrefix: string): Promise<string> {
  const [found, ...others] = await store.list({ idPrefix });
  if (found && others.length === 0) return found.ref;
  const what = found ? `${others.length + 1} sessions here begin` : "No session here begins";
  throw new SessionError(
    "not_found",
    `${what} with "${idPrefix}". Give more of the id, or a path; pi sessions --all lists them all.`,
  );
}

/** Reads the source without its lock, so that a session can be forked while another process writes it. */
async function forkOf(store: SessionStore, { fork, id }: { fork: string; id?: string }, cwd: string): Promise<Conversation> {
  if (id !== undefined) {
    checkId(id);
    if (await findById(store, id)) {
      throw new UsageError("invalid_session_id", `There is a session with the id "${id}" here. Choose another id for the copy.`);
    }
  }
  const read = await Conversation.read(store, await findSession(store, fork));
  try {
    return await forkConversation({ store, source: read, leafId: read.leafId, cwd, id });
  } finally {
    await read.close();
  }
}

function isEmptyFile(path: string): boolean {
  try {
    // The reported size is not enough: files of /proc report the size 0.
    return readStartSync(path, 1).size === 0;
  } catch {
    return false; // missing or not accessible; opening it reports the error
  }
}

/** Starts a session in a file that is empty or does not exist. */
async function begin(path: string, cwd: string, options: SessionLockOptions): Promise<Conversation> {
  const { SessionFile } = await import("./session-file.ts");
  const file = new SessionFile(path);
  file.reserve(options);
  return Conversation.create({ create: () => file }, { cwd });
}
