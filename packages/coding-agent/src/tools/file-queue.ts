import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/** Links followed before we call it a loop, as Linux does. */
const maxLinks = 40;

/** The end of each file's queue, by real path. One table a process: two sessions may work on the same file. */
const queueEnds = new Map<string, Promise<void>>();
let lastLookup: Promise<unknown> = Promise.resolve();

/**
 * Runs `task` after all earlier tasks on the same file, under whatever name, have finished; tasks on other files run beside it. The
 * order is that of the calls, although finding out which file a path means takes time.
 *
 * @param locate - Finds the absolute path.
 * @param task - Gets the real path: links followed, also where the file does not exist yet.
 */
export async function inFileQueue<T>(locate: () => Promise<string>, task: (realPath: string) => Promise<T>): Promise<T> {
  const lookup = lastLookup.then(async () => findRealPath(await locate()));
  lastLookup = lookup.catch(() => undefined);
  const realPath = await lookup;
  const run = (queueEnds.get(realPath) ?? Promise.resolve()).then(() => task(realPath));
  const end = run.then(
    () => undefined,
    () => undefined,
  );
  queueEnds.set(realPath, end);
  void end.then(() => {
    if (queueEnds.get(realPath) === end) queueEnds.delete(realPath);
  });
  return run;
}

/** The path with all links followed; of parts that do not exist, the path at which they would be made. */
async function findRealPath(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || links > maxLinks) throw error;
  }
  const target = await readlink(path).catch(() => undefined);
  if (target !== undefined) return findRealPath(resolve(dirname(path), target), links + 1);
  const parent = dirname(path);
  return parent === path ? path : join(await findRealPath(parent, links), basename(path));
}
