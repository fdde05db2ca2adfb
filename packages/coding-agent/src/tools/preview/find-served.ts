import { join, relative, sep } from "node:path";
import type { FileAccess, FileFacts } from "../files/file-access.ts";
import { isInside } from "../files/write-target.ts";

/** Something in the served folder; `path` has its links followed. */
export interface Served extends FileFacts {
  type: "file" | "directory";
  path: string;
}

/**
 * What a request's path leads to. Nothing outside the folder is ever found, whatever the path or the links say, and nothing whose name
 * begins with a dot, but for `.well-known`: those hold keys and history more often than pages.
 *
 * @param root - The served folder, with its links followed.
 * @param urlPath - As it was sent, without a query.
 * @returns undefined when there is no such thing, or none that is served.
 */
export async function findServed(files: FileAccess, root: string, urlPath: string): Promise<Served | undefined> {
  const names = decodeSegments(urlPath);
  if (names === undefined || names.some(isHidden)) return undefined;
  try {
    const path = await files.realpath(join(root, ...names));
    if (!isServed(root, path)) return undefined;
    const { type, ...facts } = await files.stat(path);
    return type === "file" || type === "directory" ? { ...facts, type, path } : undefined;
  } catch {
    // It is not there, or may not be looked at.
    return undefined;
  }
}

function isServed(root: string, path: string): boolean {
  return isInside(root, path) && !relative(root, path).split(sep).some(isHidden);
}

/** The names in a path; undefined when it could mean something else than it says. */
function decodeSegments(urlPath: string): string[] | undefined {
  const names: string[] = [];
  for (const segment of urlPath.split("/")) {
    let name: string;
    try {
      name = decodeURIComponent(segment);
    } catch {
      // Not percent-encoded UTF-8.
      return undefined;
    }
    if (name === "") continue;
    if (name === "." || name === ".." || name.includes("/") || name.includes("\0") || name.includes(sep)) return undefined;
    names.push(name);
  }
  return names;
}

/** Whether a file or folder of that name is left out. */
export function isHidden(name: string): boolean {
  return name.startsWith(".") && name !== ".well-known";
}
