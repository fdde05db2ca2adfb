/** Characters for which the order of UTF-16 units differs from the order of code points. */
const unordered = /[\ud800-\uffff]/;

/** Compares names by their UTF-8 bytes: the same order on all machines, and the order of ripgrep. */
export function compareNames(a: string, b: string): number {
  if (a === b) return 0;
  if (unordered.test(a) || unordered.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

/** Sorts entries in place by their names, in the order of `compareNames`. */
export function sortByName<T extends { name: string }>(entries: T[]): T[] {
  // Nearly all names need no conversion, which is tested once for each name and not for each comparison.
  if (entries.some(({ name }) => unordered.test(name))) return entries.sort((a, b) => compareNames(a.name, b.name));
  return entries.sort((a, b) => (a.name < b.name ? -1 : a.name === b.name ? 0 : 1));
}

/** Compares paths in the order of a walk: by name in each folder, with the content of a folder directly after it. */
export function comparePaths(a: string, b: string): number {
  // NUL never occurs in a name and is the smallest character, so `a/b` is before `a-b`.
  return compareNames(a.replaceAll("/", "\0"), b.replaceAll("/", "\0"));
}
