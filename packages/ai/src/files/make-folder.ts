import { mkdirSync, statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it; one that is there is no error. Node's own `recursive` never ends where a file system takes no folders
 * and says that there is no such thing, as `/proc` does.
 *
 * @param mode - Permissions of the folders that are made. Default: 0o777, less the umask.
 * @throws The system's error; `EEXIST` where something else has the name.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const failure = await tryMake(path, mode);
  if (failure === undefined) return;
  if (failure.code !== "ENOENT" || dirname(path) === path) throw failure;
  await makeFolder(dirname(path), mode);
  const again = await tryMake(path, mode);
  if (again) throw again;
}

/** As `makeFolder`. */
export function makeFolderSync(path: string, mode = 0o777): void {
  const failure = tryMakeSync(path, mode);
  if (failure === undefined) return;
  if (failure.code !== "ENOENT" || dirname(path) === path) throw failure;
  makeFolderSync(dirname(path), mode);
  const again = tryMakeSync(path, mode);
  if (again) throw again;
}

/** Why there is no folder at the path now; undefined when there is one. */
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
    return false; // a part of the path may not be looked into
  }
}
