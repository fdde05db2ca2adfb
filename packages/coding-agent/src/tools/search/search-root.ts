import { isAbsolute, relative, sep } from "node:path";
import { ToolError } from "@pikit/agent";
import type { FileAccess } from "../files/file-access.ts";

/** The file or folder to search. */
export interface SearchRoot {
  type: "file" | "directory";
  /** The requested path. */
  absolutePath: string;
  /** With links resolved. */
  realPath: string;
  /** Bytes; for files only. */
  size: number;
  /**
   * Returns the path to show for a file in the root: relative to the working folder, or absolute if it is outside; `/`-separated.
   *
   * @param path - Relative to the root, `/`-separated; empty for the root itself.
   */
  show(path: string): string;
}

/**
 * Checks the file or folder to search.
 *
 * @param path - The path from the model, for error messages.
 * @throws {ToolError} `not_a_file` for devices, pipes and sockets; for a missing path, the error of the file access.
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
