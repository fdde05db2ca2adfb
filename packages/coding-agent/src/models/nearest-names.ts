import { distance } from "fastest-levenshtein";

/** The names (`provider/id`) nearest to the typed text, nearest first. */
export function nearestNames(names: readonly string[], typed: string, count: number): string[] {
  const wanted = typed.toLowerCase();
  return names
    .map((name) => ({ name, edits: editsTo(name.toLowerCase(), wanted) }))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, count)
    .map(({ name }) => name);
}

/** The edit distance between a name and the typed text, with or without the provider. */
function editsTo(name: string, wanted: string): number {
  const id = name.slice(name.indexOf("/") + 1);
  return Math.min(distance(name, wanted), distance(id, wanted));
}
