import { dirname, join } from "node:path";
import { isInside } from "../tools/files/write-target.ts";
import { temporaryFolders } from "./bubblewrap.ts";
import type { SandboxPlaces } from "./places.ts";

/** What the sandbox has against a path. */
export type Objection = "outside" | "hidden" | "fixed";

/**
 * Whether a path may be written.
 *
 * @param path - With links resolved.
 */
export function judgeWrite(places: SandboxPlaces, path: string): Objection | undefined {
  const objection = judgeRead(places, path);
  if (objection) return objection;
  if (isInside(places.temporary, path)) return undefined;
  if (!places.writable.some((root) => isInside(root, path))) return "outside";
  const fixed = [...places.fixed, ...places.missing, ...places.forbidden];
  return fixed.some((guarded) => isInside(guarded, path)) || isRepositoryItself(places, path) ? "fixed" : undefined;
}

/** A new `.git` would be a repository with settings of its own. */
function isRepositoryItself({ held }: SandboxPlaces, path: string): boolean {
  return held.includes(path) || /(^|\/)\.git(\/(hooks|config|commondir|config\.worktree|modules|worktrees)(\/|$)|$)/.test(path);
}

/**
 * Whether a path may be read.
 *
 * @param path - With links resolved.
 */
export function judgeRead(places: SandboxPlaces, path: string): Objection | undefined {
  if (isInside(places.temporary, path)) return undefined;
  const hidden = longest(places.hidden, path);
  if (hidden === undefined) return undefined;
  const open = longest([...places.readable, ...places.writable], path);
  return open !== undefined && open.length > hidden.length ? undefined : "hidden";
}

/** The deepest of these folders in which a path is. */
function longest(folders: readonly string[], path: string): string | undefined {
  return folders.reduce<string | undefined>(
    (best, folder) => (isInside(folder, path) && folder.length > (best?.length ?? -1) ? folder : best),
    undefined,
  );
}

/**
 * Translates a path of a command to one of this machine: below /tmp, commands see the temporary folder of the session, except for the folders that
 * belong to the working folder or that the user names.
 *
 * @param path - Absolute.
 */
export function toHostPath(places: SandboxPlaces, path: string): string {
  const folder = temporaryFolders().find((candidate) => isInside(candidate, path));
  if (folder === undefined || isInside(dirname(places.temporary), path)) return path;
  const shown = [...places.writable, ...places.readable].filter((root) => isInside(folder, root) && root !== folder);
  const tops = shown.map((root) => join(folder, root.slice(folder.length + 1).split("/")[0] ?? ""));
  return tops.some((top) => isInside(top, path)) ? path : join(places.temporary, path.slice(folder.length));
}
