import { existsSync } from "node:fs";
import { isMark, type MarkedKind, type ResourceMarks } from "../config/all-settings.ts";
import type { ResourceFilter } from "../prompt/resource-sources.ts";
import { expandGlob } from "./package-files.ts";
import { compileSelection, isGlob } from "./select-resources.ts";

/**
 * Compiles the patterns of settings for a kind of resource. The patterns of a file are about the resources of its scope; about those that a
 * list names, whose scope is not known, the patterns of both files. An invalid pattern is reported and has no effect.
 */
export async function createFilter(
  kind: MarkedKind,
  all: readonly ResourceMarks[],
  report: (problem: string) => void,
): Promise<ResourceFilter> {
  const filters: ResourceFilter[] = [];
  for (const { location: scope, folder, marks } of all) {
    const list = marks[kind].filter(isMark);
    if (list.length === 0) continue;
    try {
      const isSelected = await compileSelection(list, folder);
      filters.push((path, location) => (location !== "path" && location !== scope) || isSelected(path));
    } catch (error) {
      report(`The patterns of ${kind} in the settings have no effect: ${(error as Error).message}`);
    }
  }
  return (path, location) => filters.every((isUsed) => isUsed(path, location));
}

/** Replaces the globs in a list of absolute paths by the files and folders that they match. An invalid glob stays, as a path. */
export async function expandGlobs(paths: readonly string[]): Promise<string[]> {
  const expanded = paths.map((path) =>
    isGlob(path) && !existsSync(path) ? expandGlob(path.slice(1), "/").catch(() => [path]) : [path],
  );
  return (await Promise.all(expanded)).flat();
}
