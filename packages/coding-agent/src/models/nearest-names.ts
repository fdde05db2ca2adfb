import { distance } from "fastest-levenshtein";

/** Of names `provider/id`, those that are nearest to what was typed, nearest first. */
export function nearestNames(names: readonly string[], typed: string, count: number): string[] {
  const wanted = typed.toLowerCase();
  return names
    .map((name) => ({ name, edits: editsTo(name.toLowerCase(), wanted) }))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, count)
    .map(({ name }) => name);
}

/** How far a name is from what was typed, with or without its provider. */
function editsTo(name: string, wanted: string): number {
  const id = name.slice(name.indexOf("/") + 1);
  return Math.min(distance(name, wanted), distance(id, wanted));
}
