import { findCircles } from "./circles.ts";
import { layers, type PackageLayers } from "./order.ts";
import { findRoom, matches } from "./rooms.ts";
import { type Edge, readSources, type Source } from "./sources.ts";

/**
 * Checks the sources below a folder against the order of the layers.
 *
 * @returns One line for each import that breaks the order, each circle, and each module that consists of re-exports only.
 */
export function findProblems(root: string): string[] {
  const { files, entries, problems } = readSources(root);
  const found = [...problems];
  for (const layer of layers) {
    const sources = [...files.values()].filter(({ path }) => path.startsWith(`${layer.folder}/src/`));
    if (sources.length === 0) found.push(`${layer.folder} has no sources; is scripts/layers/order.ts right?`);
    for (const source of sources) {
      found.push(...findUnlisted(source, layer));
      for (const edge of source.edges) {
        const problem = judge(source, edge, layer);
        if (problem !== undefined) found.push(`${source.path} imports ${edge.specifier}: ${problem}`);
      }
      const loadsByName = layer.loadsByName?.some((path) => source.path === `${layer.folder}/src/${path}`) ?? false;
      if (source.hasUnknownImport && !loadsByName)
        found.push(`${source.path} has an import() that cannot be checked: give it a literal`);
      const isEntry = entries.has(source.path) || source.path === `${layer.folder}/src/${layer.valuesOnlyIn}`;
      // A module that only re-exports a library is the one place that says what is used of it.
      const isOfOurs = source.edges.some(({ target }) => target !== undefined);
      if (source.isOnlyReexports && isOfOurs && !isEntry) {
        found.push(`${source.path} consists of re-exports only: import from the modules themselves`);
      }
    }
  }
  return [...found, ...findCircles(files)];
}

function findUnlisted({ path }: Source, layer: PackageLayers): string[] {
  const room = findRoom(layer, path);
  return room === undefined ? [`${path} is in no room: list its folder in scripts/layers/order.ts`] : [];
}

/** Says why an import breaks the order; undefined when it does not. */
function judge({ path }: Source, edge: Edge, layer: PackageLayers): string | undefined {
  const { target, specifier } = edge;
  const source = `${layer.folder}/src/`;
  const room = findRoom(layer, path);
  if (target?.startsWith(source)) return judgeRooms(path, { ...edge, target }, layer);
  const isOurs = specifier.startsWith("@pikit/") || specifier.startsWith(".");
  if (isOurs) {
    if (!layer.imports.some((name) => specifier === name || (isPackage(name) && specifier.startsWith(`${name}/`)))) {
      return `a lower package knows nothing of it; ${layer.folder} imports ${layer.imports.join(", ") || "no package of ours"}`;
    }
    if (layer.valuesOnlyIn !== undefined && !edge.isType && path !== source + layer.valuesOnlyIn) {
      return `only ${layer.valuesOnlyIn} imports values from there; import types`;
    }
  }
  if (layer.node === false && specifier.startsWith("node:")) return `${layer.folder} runs without Node`;
  const allowed = layer.closedRooms?.[room?.name ?? ""];
  if (allowed && !(isOurs && edge.isType) && !allowed.some((name) => specifier === name || specifier.startsWith(`${name}/`))) {
    return `${room?.name} imports ${allowed.join(", ")} and types of ours, and nothing else`;
  }
  return undefined;
}

/** `@pikit/ai`, and not one entry point of it. */
function isPackage(name: string): boolean {
  return name.split("/").length === 2;
}

function judgeRooms(path: string, { target, isType, isLate }: Edge & { target: string }, layer: PackageLayers): string | undefined {
  const source = `${layer.folder}/src/`;
  const from = findRoom(layer, path);
  const to = findRoom(layer, target);
  if (from && to && to.rank > from.rank) return `${from.name} is below ${to.name}: pass in what is needed`;
  if (from && to && to.rank === from.rank && to.name !== from.name) return `${from.name} and ${to.name} know nothing of each other`;
  const isLateModule = layer.late?.some((pattern) => matches(pattern, target.slice(source.length))) ?? false;
  if (isLateModule && !isType && !isLate) return "it is loaded with its first use: import() it, or import types";
  return undefined;
}
