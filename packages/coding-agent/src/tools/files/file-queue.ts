import { basename, dirname, join, resolve } from "node:path";
import type { FileAccess } from "./file-access.ts";
import { localFiles } from "./local-files.ts";

/** Maximum links to follow before they count as a loop, as in Linux. */
const maxLinks = 40;

interface Queues {
  /** The end of each file's queue, by real path. */
  ends: Map<string, Promise<void>>;
  lastLookup: Promise<unknown>;
}

/** Shared by all sessions of the process, because they may work on the same file. */
const queuesOf = new WeakMap<FileAccess, Queues>();

/**
 * Runs `task` after all earlier tasks on the same file, even under another path; tasks on other files run in parallel. The order is that of the
 * calls, although resolving a path is asynchronous.
 *
 * @param locate - Finds the absolute path.
 * @param task - Called with the real path: links are resolved, even if the file does not exist yet.
 * @param files - The file system. Each has its own queues.
 */
export async function inFileQueue<T>(
  locate: () => Promise<string>,
  task: (realPath: string) => Promise<T>,
  files: FileAccess = localFiles,
): Promise<T> {
  const queues = queuesOf.get(files) ?? { ends: new Map(), lastLookup: Promise.resolve() };
  queuesOf.set(files, queues);
  const lookup = queues.lastLookup.then(async () => findRealPath(files, await locate()));
  queues.lastLookup = lookup.catch(() => undefined);
  const realPath = await lookup;
  const run = (queues.ends.get(realPath) ?? Promise.resolve()).then(() => task(realPath));
  const end = run.then(
    () => undefined,
    () => undefined,
  );
  queues.ends.set(realPath, end);
  void end.then(() => {
    if (queues.ends.get(realPath) === end) queues.ends.delete(realPath);
  });
  return run;
}

/** Resolves all links; for a missing file, returns the path where it would be created. */
async function findRealPath(files: FileAccess, path: string, links = 0): Promise<string> {
  try {
    return await files.realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || links > maxLinks) throw error;
  }
  const target = await files.readlink(path).catch(() => undefined);
  if (target !== undefined) return findRealPath(files, resolve(dirname(path), target), links + 1);
  const parent = dirname(path);
  return parent === path ? path : join(await findRealPath(files, parent, links), basename(path));
}
