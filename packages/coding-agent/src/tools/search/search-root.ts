import { isAbsolute, relative, sep } from "node:path";
import { ToolError } from "@pikit/agent";
import type { FileAccess } from "../files/file-access.ts";

/** Where a search begins. */
export interface SearchRoot {
  type: "file" | "directory";
  /** As asked for. */
  absolutePath: string;
  /** With links followed. */
  realPath: string;
  /** Bytes, of a file. */
  size: number;
  /**
   * The path to show for something in the root: relative to the working folder, or absolute when it lies outside; `/`-separated.
   *
   * @param path - Relative to the root, `/`-separated; empty for the root itself.
   */
  show(path: string): string;
}

/**
 * Looks at the place where a search is to begin.
 *
 * @param path - As the model wrote it, for the error text.
 * @throws {ToolError} `not_a_file` for a device or the like; the error of the access when there is nothing.
 */
export async function openRoot(files: FileAccess, cwd: string, absolutePath: string, path: string): Promise<SearchRoot> {
  const { type, size } = await files.stat(absolutePath);
  if (type !== "file" && type !== "directory") {
    throw new ToolError("not_a_file", `Cannot search ${path}: it is a device, pipe or socket. Give a file or a folder.`);
  }
  const realPath = await files.realpath(absolutePath);
  const shown = showRoot(cwd, absolutePath);
  const prefix = shown === "" || shown.endsWith("/") ? shown : `${shown}/`;
  return { type, absolutePath, realPath, size, show: (inner) => (inner === "" ? shown || "." : prefix + inner) };
}

function showRoot(cwd: string, absolutePath: string): string {
  const way = relative(cwd, absolutePath);
  const isOutside = way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
  return (isOutside ? absolutePath : way).replaceAll(sep, "/");
}
