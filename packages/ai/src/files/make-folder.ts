import { mkdirSync, statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Creates a folder and its parents; an existing folder is no error. Node's `recursive` option never ends on a file system such as `/proc`,
 * which answers ENOENT to every new folder.
 *
 * @param mode - Permissions of new folders, before the umask. Default: 0o777.
 * @throws The system's error; `EEXIST` when the path exists and is not a folder.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const failure = await tryMake(path, mode);
  if (failure === undefined) return;
  if (failure.code !== "ENOENT" || dirname(path) === path) throw failure;
  await makeFolder(dirname(path), mode);
  const again = await tryMake(path, mode);
  if (again) throw again;
}

/** Like `makeFolder`, synchronous. */
export function makeFolderSync(path: string, mode = 0o777): void {
  const failure = tryMakeSync(path, mode);
  if (failure === undefined) return;
  if (failure.code !== "ENOENT" || dirname(path) === path) throw failure;
  makeFolderSync(dirname(path), mode);
  const again = tryMakeSync(path, mode);
  if (again) throw again;
}

/** Creates one folder. Returns the error, or undefined if the folder exists afterwards. */
async function tryMake(path: string, mode: number): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(path, { mode });
    return undefined;
  } catch (error) {
    const isThere = await stat(path).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    return isThere ? undefined : (error as NodeJS.ErrnoException);
  }
}

function tryMakeSync(path: string, mode: number): NodeJS.ErrnoException | undefined {
  try {
    mkdirSync(path, { mode });
    return undefined;
  } catch (error) {
    return isFolder(path) ? undefined : (error as NodeJS.ErrnoException);
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false; // no permission for a part of the path
  }
}
