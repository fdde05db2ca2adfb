import { realpathSync, statSync } from "node:fs";
import { UsageError } from "../../../errors.ts";

/**
 * The real paths of the roots. Synchronous, because the start has nothing else to do, and need not load the asynchronous functions.
 *
 * @throws {UsageError} When a root is not a folder.
 */
export function openRoots([first, ...others]: readonly [string, ...string[]]): readonly [string, ...string[]] {
  return [openRoot(first), ...others.map(openRoot)];
}

function openRoot(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return realpathSync(path);
  throw new UsageError("config_unavailable", `The root ${path} is not a folder. Give an existing folder to --root.`);
}
