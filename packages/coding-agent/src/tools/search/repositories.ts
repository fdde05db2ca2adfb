import { dirname, join } from "node:path";
import type { FileAccess } from "../files/file-access.ts";

/** What makes a folder the root of a repository, also as a file (a worktree, a submodule). ripgrep goes by the same two names. */
const markers = [".git", ".jj"];

/** Whether a folder with these names in it is the root of a repository: rules of folders above end there. */
export function hasRepositoryMarker(names: ReadonlySet<string>): boolean {
  return markers.some((marker) => names.has(marker));
}

export async function isRepository(files: FileAccess, folder: string): Promise<boolean> {
  for (const marker of markers) if (await exists(files, join(folder, marker))) return true;
  return false;
}

/** Whether a folder is in a repository, or the root of one. */
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
