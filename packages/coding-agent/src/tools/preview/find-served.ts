import { join, relative, sep } from "node:path";
import type { FileAccess, FileFacts } from "../files/file-access.ts";
import { isInside } from "../files/write-target.ts";

/** A file or folder in the served folder; links in `path` are resolved. */
export interface Served extends FileFacts {
  type: "file" | "directory";
  path: string;
}

/**
 * Finds the file or folder for the path of a request. Files outside the served folder are never found, even through links. Neither are names
 * that begin with a dot, except `.well-known`, because they contain keys and history more often than pages.
 *
 * @param root - The served folder, with links resolved.
 * @param urlPath - As sent by the client, without the query.
 * @returns undefined if the file does not exist or is not served.
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
    // It does not exist or is not accessible.
    return undefined;
  }
}

function isServed(root: string, path: string): boolean {
  return isInside(root, path) && !relative(root, path).split(sep).some(isHidden);
}

/** Decodes the names in a path; undefined for unsafe or invalid names. */
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

/** Whether files and folders with this name are not served. */
export function isHidden(name: string): boolean {
  return name.startsWith(".") && name !== ".well-known";
}
