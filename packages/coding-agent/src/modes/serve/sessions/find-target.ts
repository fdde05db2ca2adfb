import { realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { SessionChoice } from "../../../conversation/choose-session.ts";
import { isSessionId, looksLikePath } from "../../../conversation/ids.ts";
import { readSessionHeaderAsync } from "../../../conversation/read-session.ts";
import { SessionError } from "../../../errors.ts";
import { HttpError } from "../http/http-error.ts";
import type { SessionRequest } from "../http/route-schemas.ts";
import { outside, type Roots } from "./roots.ts";
import type { SessionFiles } from "./session-files.ts";

/** The session that a request means: a new one, or the one with this id. */
export type Target = { begin: SessionChoice } | { id: string; path: string | undefined };

interface Places {
  roots: Roots;
  files: SessionFiles;
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
  { roots, files, liveIds }: Places,
): Promise<Target> {
  if (choice === "new" || choice === "memory") return { begin: choice };
  if (choice === "continue") {
    const [latest] = await files.list({ cwd: cwd ?? roots.first, limit: 1 });
    return latest ? { id: latest.header.id, path: latest.path } : { begin: "new" };
  }
  if ("path" in choice) return findPath(choice.path, roots);
  if ("fork" in choice) {
    const source = looksLikePath(choice.fork)
      ? await findPath(choice.fork, roots)
      : await findPrefix(choice.fork, cwd, { roots, files, liveIds: () => [] });
    if (!("path" in source) || source.path === undefined) throw notFound(choice.fork, 0);
    return { begin: { fork: source.path } };
  }
  if ("idPrefix" in choice) return findPrefix(choice.idPrefix, cwd, { roots, files, liveIds });
  const { id } = choice;
  if (!isSessionId(id)) {
    throw new HttpError(
      "bad_request",
      'Field "session.id" cannot be a session id: use 1 to 128 letters, digits, ".", "_" or "-", with a letter or digit at both ends.',
    );
  }
  const stored = await files.find(id);
  if (stored && cwd !== undefined && stored.header.cwd !== cwd && realPath(stored.header.cwd) !== cwd) {
    throw new HttpError("conflict", `The id ${id} belongs to a session of the folder ${stored.header.cwd}. Give another id.`);
  }
  if (stored || [...liveIds()].includes(id)) return { id, path: stored?.path };
  return (await files.findUnwritten(id)) ? { id, path: undefined } : { begin: { id } };
}

async function findPath(path: string, roots: Roots): Promise<Target> {
  if (!isAbsolute(path)) throw new HttpError("bad_request", "The path of a session must be absolute.");
  const { id, cwd } = await readSessionHeaderAsync(path).catch((error: unknown) => {
    if (error instanceof SessionError) throw error;
    throw new SessionError("not_found", `Cannot read the session file ${path}. Give the path of an existing session.`);
  });
  if (!(await roots.contains(cwd))) throw outside();
  return { id, path };
}

async function findPrefix(idPrefix: string, cwd: string | undefined, { files, liveIds }: Places): Promise<Target> {
  const stored = (await files.findByPrefix(idPrefix)).filter(({ header }) => cwd === undefined || header.cwd === cwd);
  const paths = new Map<string, string | undefined>(stored.map(({ header, path }) => [header.id, path]));
  for (const id of liveIds()) if (id.startsWith(idPrefix) && cwd === undefined && !paths.has(id)) paths.set(id, undefined);
  const [found, ...others] = paths.has(idPrefix) ? [[idPrefix, paths.get(idPrefix)] as const] : paths;
  if (!found || others.length > 0) throw notFound(idPrefix, others.length + (found ? 1 : 0));
  const [id, path] = found;
  return { id, path };
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
