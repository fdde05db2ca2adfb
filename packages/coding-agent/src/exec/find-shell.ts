import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join, relative } from "node:path";

/** Where bash is on nearly every system; looked at first, so that the search path seldom matters. */
const usualPlaces = ["/bin/bash", "/usr/bin/bash"];
/** POSIX asks for this one. */
export const posixShell = "/bin/sh";

/**
 * The absolute path of bash, or of sh where there is none. Entries of the search path that are relative or lie in `cwd` are passed
 * over: a project must not be able to supply the shell.
 *
 * @param searchPath - The value of PATH.
 * @returns undefined when there is no shell at all.
 */
export async function findShell(cwd: string, searchPath = ""): Promise<string | undefined> {
  const folders = searchPath.split(delimiter).filter((folder) => isAbsolute(folder) && !isInside(folder, cwd));
  for (const candidate of [...usualPlaces, ...folders.map((folder) => join(folder, "bash")), posixShell]) {
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith("..") && !isAbsolute(way);
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
