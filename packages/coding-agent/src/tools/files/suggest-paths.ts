import { extname, join, parse, sep } from "node:path";
import { distance } from "fastest-levenshtein";
import type { DirectoryEntry, FileAccess } from "./file-access.ts";

const maxSuggestions = 3;
/** Maximum names of a folder to compare. */
const maxNames = 10_000;

/**
 * Finds existing paths that are similar to a missing path: the missing name may be misspelt, have another extension, or be only the beginning
 * of a name.
 *
 * @returns At most three absolute paths, the most similar first.
 */
export async function suggestPaths(files: FileAccess, missingPath: string): Promise<string[]> {
  const { root } = parse(missingPath);
  let folder = root;
  const names = missingPath.slice(root.length).split(sep);
  for (const [index, name] of names.entries()) {
    const path = join(folder, name);
    if (await exists(files, path)) {
      folder = path;
      continue;
    }
    const near = (await findNearNames(files, folder, name)).map((found) => join(folder, found));
    const rest = names.slice(index + 1);
    if (rest.length === 0) return near;
    const complete: string[] = [];
    for (const found of near) if (await exists(files, join(found, ...rest))) complete.push(join(found, ...rest));
    return complete.length > 0 ? complete : near;
  }
  return [];
}

async function findNearNames(files: FileAccess, folder: string, name: string): Promise<string[]> {
  const entries = await files.readdir(folder).catch((): DirectoryEntry[] => []);
  const wanted = name.toLowerCase();
  // Two transposed letters count as two changes.
  const maxChanges = Math.ceil(withoutExtension(wanted).length / 3);
  const ranked = entries.slice(0, maxNames).flatMap((entry) => {
    const candidate = entry.name.toLowerCase();
    const changes = Math.min(distance(wanted, candidate), 1 + distance(withoutExtension(wanted), withoutExtension(candidate)));
    const isLonger = wanted.length >= 3 && candidate.startsWith(wanted);
    return isLonger || changes <= maxChanges ? [{ name: entry.name, changes: isLonger ? 1 : changes }] : [];
  });
  ranked.sort((a, b) => a.changes - b.changes || (a.name < b.name ? -1 : 1));
  return ranked.slice(0, maxSuggestions).map((entry) => entry.name);
}

function withoutExtension(name: string): string {
  return name.slice(0, name.length - extname(name).length);
}

function exists(files: FileAccess, path: string): Promise<boolean> {
  return files.lstat(path).then(
    () => true,
    () => false,
  );
}
