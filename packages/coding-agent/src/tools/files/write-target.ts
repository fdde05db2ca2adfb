import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isMissing } from "@pikit/ai/files";
import type { FileAccess } from "./file-access.ts";

/** More links in a row than any system follows. */
const maxLinks = 40;

/** Whether `path` is `folder` or below it; both absolute and with links followed. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way));
}

/**
 * Where a write to `path` would really end up: links are followed, those to nothing too, and what does not exist yet is taken as it is
 * written.
 *
 * @returns undefined when that cannot be found out.
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
