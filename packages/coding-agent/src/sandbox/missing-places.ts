import { rmdirSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolderSync } from "@pikit/ai/files";
import { kindOf } from "./look.ts";

/** How many running commands of this process cover each path. */
const covered = new Map<string, number>();

/** Whether a path is one of these empty folders now. */
export function isCovered(path: string): boolean {
  return covered.has(path);
}

/**
 * Creates an empty folder at each path, so that a sandbox can cover it and nothing can appear there. Git does not show empty folders. A path
 * without a folder above it is skipped.
 *
 * @returns The paths that exist now. A function that removes the folders which are still empty, when no other command of this process needs them.
 */
export function coverMissing(paths: readonly string[]): { made: string[]; uncover(): void } {
  const made = paths.filter((path) => {
    if (kindOf(dirname(path)) !== "folder") return false;
    try {
      makeFolderSync(path, 0o755);
    } catch {
      return false; // the user has just created a file
    }
    covered.set(path, (covered.get(path) ?? 0) + 1);
    return true;
  });
  const uncover = () => {
    for (const path of made) {
      const left = (covered.get(path) ?? 1) - 1;
      if (left > 0) {
        covered.set(path, left);
        continue;
      }
      covered.delete(path);
      try {
        rmdirSync(path);
      } catch {
        // The user has put something in it.
      }
    }
  };
  return { made, uncover };
}

/** Removes files that must not exist. Returns those that were removed. */
export function removeForbidden(paths: readonly string[]): string[] {
  return paths.filter((path) => {
    if (kindOf(path) === undefined) return false;
    try {
      unlinkSync(path);
      return true;
    } catch {
      return false; // a folder, which Git does not read
    }
  });
}
