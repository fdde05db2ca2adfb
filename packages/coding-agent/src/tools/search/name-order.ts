/** Characters whose UTF-16 units are not in the order of their code points. */
const unordered = /[\ud800-\uffff]/;

/** The order of names by their UTF-8 bytes, the same on every machine; ripgrep's too. */
export function compareNames(a: string, b: string): number {
  if (a === b) return 0;
  if (unordered.test(a) || unordered.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

/** The order in which a walk comes upon paths: that of the names in each folder, a folder's content right behind it. */
export function comparePaths(a: string, b: string): number {
  // NUL is in no name and comes before everything, so `a/b` is before `a-b`.
  return compareNames(a.replaceAll("/", "\0"), b.replaceAll("/", "\0"));
}
