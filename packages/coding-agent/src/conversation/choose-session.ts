import { resolve } from "node:path";
import { readStartSync } from "@pikit/ai/files/sync";
import { SessionError, UsageError } from "../errors.ts";
import { Conversation } from "./conversation.ts";
import { forkConversation } from "./fork.ts";
import { isSessionId, looksLikePath } from "./ids.ts";
import { openConversation } from "./open-session.ts";
import type { SessionStore } from "./session-store.ts";

/**
 * Which conversation a session holds.
 *
 * - `new` (default): an empty one, stored from its first message on
 * - `memory`: an empty one that is stored nowhere
 * - `continue`: the one of this folder that was written to last; an empty one when there is none
 * - `path`: that file (or what else the store calls a session), which must exist; `idPrefix`: the one of this folder whose id begins so, which must exist
 * - `id`: the one of this folder with that id; an empty one of that id when there is none
 * - `fork`: a copy of the active path of another, which may be open elsewhere; a path, or the beginning of an id
 */
export type SessionChoice =
  | "new"
  | "memory"
  | "continue"
  | { path: string }
  | { idPrefix: string }
  | { id: string }
  | { fork: string };

/**
 * Opens the chosen conversation, or begins it where there is none.
 *
 * @param report - Told in one line when there is nothing to go on with.
 * @throws {SessionError} When it cannot be opened. {UsageError} When the id cannot be one.
 */
export async function chooseSession(
  store: SessionStore,
  choice: Exclude<SessionChoice, "new" | "memory">,
  cwd: string,
  report?: (notice: string) => void,
): Promise<Conversation> {
  if (choice === "continue") {
    const [latest] = await store.list({ cwd, limit: 1 });
    if (latest) return openConversation(store, latest.ref);
    report?.(`There is no session of ${cwd} to go on with; a new one begins.`);
    return Conversation.create(store, { cwd });
  }
  if ("path" in choice) {
    const { path } = choice;
    return isEmptyFile(path) ? begin(resolve(path), cwd) : openConversation(store, path);
  }
  if ("id" in choice) return openOrBegin(store, choice.id, cwd);
  if ("fork" in choice) return forkOf(store, choice.fork, cwd);
  return openConversation(store, await findByPrefix(store, choice.idPrefix));
}

/**
 * What a user's word for a session names: a path, or the beginning of an id.
 *
 * @throws {SessionError} `not_found` when no session, or more than one, has an id that begins so.
 */
export async function findSession(store: SessionStore, text: string): Promise<string> {
  return looksLikePath(text) ? text : findByPrefix(store, text);
}

async function openOrBegin(store: SessionStore, id: string, cwd: string): Promise<Conversation> {
  if (!isSessionId(id)) {
    throw new UsageError(
      "invalid_session_id",
      `"${id}" cannot be a session id: use 1 to 128 letters, digits, ".", "_" or "-", with a letter or digit at both ends.`,
    );
  }
  const existing = (await store.list({ idPrefix: id })).find((info) => info.id === id);
  return existing ? openConversation(store, existing.ref) : Conversation.create(store, { cwd, id });
}

async function findByPrefix(store: SessionStore, idPrefix: string): Promise<string> {
  const [found, ...others] = await store.list({ idPrefix });
  if (found && others.length === 0) return found.ref;
  const what = found ? `${others.length + 1} sessions` : "No session";
  throw new SessionError("not_found", `${what} of this folder begin with "${idPrefix}". Give more of the id, or a path.`);
}

/** The source is read without its lock, so that one that is being written elsewhere can be forked. */
async function forkOf(store: SessionStore, source: string, cwd: string): Promise<Conversation> {
  const read = await Conversation.read(store, await findSession(store, source));
  try {
    return await forkConversation({ store, source: read, leafId: read.leafId, cwd });
  } finally {
    await read.close();
  }
}

function isEmptyFile(path: string): boolean {
  try {
    // Not by its size: files of /proc all say that they have none.
    return readStartSync(path, 1).size === 0;
  } catch {
    return false; // it is not there, or may not be looked at: to open it says so
  }
}

/** Begins a session in an empty file that somebody has made for it. */
async function begin(path: string, cwd: string): Promise<Conversation> {
  const { SessionFile } = await import("./session-file.ts");
  const file = new SessionFile(path);
  file.reserve();
  return Conversation.create({ create: () => file }, { cwd });
}
