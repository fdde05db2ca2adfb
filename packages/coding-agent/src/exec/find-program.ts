import { access, constants, realpath } from "node:fs/promises";
import { delimiter, isAbsolute, join, relative } from "node:path";

/** The folders of the system's programs. They are searched first, so that the search path seldom matters. */
const usualFolders = ["/bin", "/usr/bin"];

/** The places to search for a program. */
export interface ProgramSearch {
  /** The folder of the project, whose programs are never used. */
  cwd: string;
  /** The value of PATH. */
  searchPath?: string | undefined;
}

/**
 * Finds the absolute path of a program: first in the folders of the system, then in the search path. Relative and empty entries of the search
 * path are skipped, and so are programs inside `cwd`, even through a link.
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

/** The absolute folders of a search path that are not inside `cwd`. */
function absoluteFolders(searchPath: string, cwd: string): string[] {
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
