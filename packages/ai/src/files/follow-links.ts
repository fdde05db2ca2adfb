import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/**
 * Resolves all symbolic links of a path, even if their target does not exist yet.
 *
 * @param path - Absolute; its folder must exist.
 * @throws The system's error, such as `ELOOP`.
 */
export async function followLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const target = join(await realpath(dirname(path)), basename(path));
    const isLink = await lstat(target).then(
      (stats) => stats.isSymbolicLink(),
      () => false,
    );
    return isLink ? followLinks(resolve(dirname(target), await readlink(target))) : target;
  }
}

/** Like `followLinks`, synchronous. */
export function followLinksSync(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const target = join(realpathSync(dirname(path)), basename(path));
    const isLink = lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? followLinksSync(resolve(dirname(target), readlinkSync(target))) : target;
  }
}
