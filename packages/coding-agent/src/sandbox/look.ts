import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { fileLimits, readStartSync } from "@pikit/ai/files";

/** What is at a path: links are not followed. Undefined if there is nothing, or it cannot be looked at. */
export function kindOf(path: string): "folder" | "file" | "link" | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    if (stats.isDirectory()) return "folder";
    return stats.isSymbolicLink() ? "link" : "file";
  } catch {
    return undefined;
  }
}

/** The path with links resolved; undefined if it does not exist. */
export function realPathOf(path: string): string | undefined {
  try {
    // Most paths that are asked for do not exist, and an error is expensive.
    if (!lstatSync(path, { throwIfNoEntry: false })) return undefined;
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** The names of the folders in a folder, without links; none if it cannot be read. */
export function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}

/** The text of a small file; undefined if it cannot be read. */
export function textOf(path: string): string | undefined {
  try {
    return readStartSync(path, fileLimits.manifest).bytes.toString("utf8");
  } catch {
    return undefined;
  }
}
