import { access, constants, realpath } from "node:fs/promises";
import { delimiter, isAbsolute, join, relative } from "node:path";

/** Where systems keep their own programs; looked at first, so that the search path seldom matters. */
const usualFolders = ["/bin", "/usr/bin"];

/** Where a program is looked for. */
export interface ProgramSearch {
  /** The project's folder, which must not be able to supply programs. */
  cwd: string;
  /** The value of PATH. */
  searchPath?: string | undefined;
}

/**
 * The absolute path of a program: in the system's folders, or in those of the search path. Entries that are relative or empty are
 * passed over, and so is a program that lies in `cwd`, also by a link.
 */
export async function findProgram(name: string, { cwd, searchPath = "" }: ProgramSearch): Promise<string | undefined> {
  for (const folder of usualFolders) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  for (const folder of absoluteFolders(searchPath, cwd)) {
    const path = join(folder, name);
    if ((await isExecutable(path)) && !isInside(await followLinks(path), await followLinks(cwd))) return path;
  }
  return undefined;
}

/** The folders of a search path that are neither relative nor in `cwd`. */
export function absoluteFolders(searchPath: string, cwd: string): string[] {
  return searchPath.split(delimiter).filter((folder) => isAbsolute(folder) && !isInside(folder, cwd));
}

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function followLinks(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith("..") && !isAbsolute(way);
}
