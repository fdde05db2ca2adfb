import type { Source } from "./sources.ts";

/**
 * Finds circles among files: files that import themselves through others, whether by values, by types or by `import()`. A file that loads itself
 * with `import()`, for example to pass itself on, is not a circle.
 *
 * @returns One line for each group of files that all reach each other, with the shortest way round from the first of them.
 */
export function findCircles(files: ReadonlyMap<string, Source>): string[] {
  const imports = new Map<string, string[]>();
  const importers = new Map<string, string[]>();
  for (const { path, edges } of files.values()) {
    for (const { target } of edges) {
      if (target === undefined || target === path) continue;
      imports.set(path, [...(imports.get(path) ?? []), target]);
      importers.set(target, [...(importers.get(target) ?? []), path]);
    }
  }
  const done = new Set<string>();
  const problems: string[] = [];
  for (const path of files.keys()) {
    const reached = done.has(path) ? undefined : follow(imports, path);
    if (!reached?.has(path)) continue;
    for (const each of follow(importers, path).keys()) if (reached.has(each)) done.add(each);
    problems.push(`circle: ${wayTo(path, reached).join(" → ")}`);
  }
  return problems;
}

/** All files that a file leads to → the file that led there first. The start is among them only when it leads to itself. */
function follow(ways: ReadonlyMap<string, readonly string[]>, start: string): Map<string, string> {
  const cameFrom = new Map<string, string>();
  const open = [start];
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    for (const next of ways.get(path) ?? []) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, path);
      open.push(next);
    }
  }
  return cameFrom;
}

/** The files on the shortest way from a file to itself. */
function wayTo(start: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [start];
  for (let path = cameFrom.get(start); path !== undefined && path !== start; path = cameFrom.get(path)) way.unshift(path);
  return [start, ...way];
}
