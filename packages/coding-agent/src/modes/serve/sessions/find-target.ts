import { realpathSync } from "node:fs";
import type { SessionChoice } from "../../../conversation/choose-session.ts";
import { isSessionId, looksLikePath } from "../../../conversation/ids.ts";
import { SessionError } from "../../../errors.ts";
import { HttpError } from "../http/http-error.ts";
import type { SessionRequest } from "../http/route-schemas.ts";
import type { Roots } from "./roots.ts";
import type { StoredSessions } from "./stored-sessions.ts";

/** The session that a request means: a new one, or the one with this id. */
export type Target = { begin: SessionChoice } | { id: string; ref: string | undefined };

interface Places {
  roots: Roots;
  stored: StoredSessions;
  /** The ids of the live sessions. */
  liveIds(): Iterable<string>;
}

/**
 * Finds the session that a request means. Ids are looked for in all folders within the roots, or with `cwd` only in that one.
 *
 * @param cwd - The `cwd` of the request as a real path; undefined if it has none.
 * @throws {HttpError} `bad_request`, `forbidden`, `conflict`.
 * @throws {SessionError} `not_found` and others, when there is no such session.
 */
export async function findTarget(
  choice: NonNullable<SessionRequest["session"]>,
  cwd: string | undefined,
  { roots, stored, liveIds }: Places,
): Promise<Target> {
  if (choice === "new" || choice === "memory") return { begin: choice };
  if (choice === "continue") {
    const [latest] = await stored.list({ cwd: cwd ?? roots.first, limit: 1 });
    return latest ? { id: latest.id, ref: latest.ref } : { begin: "new" };
  }
  if ("path" in choice) return stored.findPath(choice.path);
  if ("fork" in choice) {
    const source = looksLikePath(choice.fork)
      ? await stored.findPath(choice.fork)
      : await findPrefix(choice.fork, cwd, { stored, liveIds: () => [] });
    if (source.ref === undefined) throw notFound(choice.fork, 0);
    return { begin: { fork: source.ref } };
  }
  if ("idPrefix" in choice) return findPrefix(choice.idPrefix, cwd, { stored, liveIds });
  const { id } = choice;
  if (!isSessionId(id)) {
    throw new HttpError(
      "bad_request",
      'Field "session.id" cannot be a session id: use 1 to 128 letters, digits, ".", "_" or "-", with a letter or digit at both ends.',
    );
  }
  const found = await stored.find(id);
  if (found && cwd !== undefined && found.cwd !== cwd && realPath(found.cwd) !== cwd) {
    throw new HttpError("conflict", `The id ${id} belongs to a session of the folder ${found.cwd}. Give another id.`);
  }
  if (found || [...liveIds()].includes(id)) return { id, ref: found?.ref };
  return (await stored.findUnwritten(id)) ? { id, ref: undefined } : { begin: { id } };
}

async function findPrefix(
  idPrefix: string,
  cwd: string | undefined,
  { stored, liveIds }: Pick<Places, "stored" | "liveIds">,
): Promise<Exclude<Target, { begin: SessionChoice }>> {
  const infos = (await stored.findByPrefix(idPrefix)).filter((info) => cwd === undefined || info.cwd === cwd);
  const refs = new Map<string, string | undefined>(infos.map(({ id, ref }) => [id, ref]));
  for (const id of liveIds()) if (id.startsWith(idPrefix) && cwd === undefined && !refs.has(id)) refs.set(id, undefined);
  const [found, ...others] = refs.has(idPrefix) ? [[idPrefix, refs.get(idPrefix)] as const] : refs;
  if (!found || others.length > 0) throw notFound(idPrefix, others.length + (found ? 1 : 0));
  const [id, ref] = found;
  return { id, ref };
}

function notFound(idPrefix: string, count: number): SessionError {
  const problem = count === 0 ? "No session begins" : `${count} sessions begin`;
  return new SessionError("not_found", `${problem} with "${idPrefix.slice(0, 200)}". Give more of the id, or a path.`);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // the folder does not exist any more
  }
}
