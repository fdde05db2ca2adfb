import { dirname, join } from "node:path";
import type { FileAccess } from "../files/file-access.ts";

/** The names that mark the root of a repository, as a folder or as a file (worktree, submodule). ripgrep uses the same names. */
const markers = [".git", ".jj"];

/** Whether a folder with these names is the root of a repository, inside which the rules of outer folders do not apply. */
export function hasRepositoryMarker(names: ReadonlySet<string>): boolean {
  return markers.some((marker) => names.has(marker));
}

export async function isRepository(files: FileAccess, folder: string): Promise<boolean> {
  for (const marker of markers) if (await exists(files, join(folder, marker))) return true;
  return false;
}

/** Whether a folder is inside a repository, or the root of one. */
export async function isInRepository(files: FileAccess, folder: string): Promise<boolean> {
  if (await isRepository(files, folder)) return true;
  const parent = dirname(folder);
  return parent !== folder && isInRepository(files, parent);
}

function exists(files: FileAccess, path: string): Promise<boolean> {
  return files.stat(path).then(
    () => true,
    () => false,
  );
}
