import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isMissing } from "@pikit/ai/files";
import type { FileAccess } from "./file-access.ts";

/** Maximum links in a row; no system follows more. */
const maxLinks = 40;

/** Whether `path` is `folder` or below it; both must be absolute, with links resolved. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way));
}

/**
 * Finds the real target of a write to `path`: resolves links, also dangling ones, and keeps missing segments unchanged.
 *
 * @returns undefined if the target cannot be determined.
 */
export async function findWriteTarget(files: FileAccess, path: string, linksLeft = maxLinks): Promise<string | undefined> {
  const missing: string[] = [];
  for (let existing = path; ; existing = dirname(existing)) {
    try {
      return join(await files.realpath(existing), ...missing);
    } catch (error) {
      if (!isMissing(error)) return undefined;
    }
    const link = await files.readlink(existing).catch(() => undefined);
    if (link !== undefined) {
      if (linksLeft === 0) return undefined;
      const folder = await findWriteTarget(files, dirname(existing), linksLeft - 1);
      return folder === undefined ? undefined : findWriteTarget(files, join(resolve(folder, link), ...missing), linksLeft - 1);
    }
    if (existing === dirname(existing)) return undefined;
    missing.unshift(existing.slice(dirname(existing).length).replace(/^[/\\]/, ""));
  }
}
