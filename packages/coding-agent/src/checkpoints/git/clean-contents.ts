import type { ObjectStore } from "../object-store.ts";
import { imageOf } from "../read-image.ts";
import type { Image } from "../records.ts";
import { SnapshotError } from "../snapshot-error.ts";
import type { StatusEntry, WorkingTree } from "./working-tree.ts";

export interface ReadOptions {
  store: ObjectStore;
  /** Maximum bytes of all contents together. */
  maxBytes: number;
  signal: AbortSignal;
}

/** A tracked file that was clean: its content was that of the index. */
export type CleanEntry = Required<StatusEntry>;

/** The kinds of conversion between the content in git and that of the file. */
const attributeNames = ["filter", "ident", "working-tree-encoding", "text", "eol", "crlf"];

/**
 * Reads the contents that clean files had, from git's objects.
 *
 * @returns The image of each entry, in their order. The content of a file that git converts in an unknown way is not kept.
 * @throws {SnapshotError}
 */
export async function readCleanContents(
  tree: WorkingTree,
  entries: readonly CleanEntry[],
  { store, maxBytes, signal }: ReadOptions,
): Promise<Image[]> {
  if (entries.length === 0) return [];
  const hashes = [...new Set(entries.map(({ tracked }) => tracked.hash))];
  const input = `${hashes.join("\n")}\n`;
  const output = await tree.git(["cat-file", "--batch"], { signal, input, maxBytes: maxBytes + 200 * hashes.length });
  const blobs = parseBatch(output);
  const conversions = await findConversions(tree, entries, signal);
  const sizes = await readSizes(
    tree,
    [...conversions].filter(([, kind]) => kind === "lines").map(([path]) => path),
    signal,
  );
  const images: Image[] = [];
  for (const { path, tracked } of entries) {
    const blob = blobs.get(tracked.hash);
    const conversion = conversions.get(path);
    if (tracked.mode === "120000" && blob) images.push({ kind: "link", target: blob.toString() });
    else {
      const content = blob && (conversion === undefined ? blob : convert(blob, conversion, sizes.get(path)));
      images.push(await toImage(content, tracked, store));
    }
  }
  return images;
}

async function toImage(content: Buffer | undefined, { hash, mode }: CleanEntry["tracked"], store: ObjectStore): Promise<Image> {
  const permissions = { isExecutable: mode === "100755" };
  if (!content) return { kind: "file", hash: `git:${hash}`, size: 0, ...permissions, isKept: false };
  return { ...(await imageOf(content, undefined, store)), ...permissions };
}

/** The output of `git cat-file --batch`: for each object a line with its name, type and size, its content, and a line feed. */
function parseBatch(output: Buffer): Map<string, Buffer> {
  const blobs = new Map<string, Buffer>();
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(10, start);
    if (end < 0) break;
    const [hash = "", type, size = "0"] = output.toString("latin1", start, end).split(" ");
    const length = type === "blob" ? Number(size) : -1;
    if (length >= 0) blobs.set(hash, output.subarray(end + 1, end + 1 + length));
    start = end + 1 + length + 1;
  }
  return blobs;
}

type Conversion = "lines" | "unknown";

/** How git converts files when it writes them, for those that it converts. */
async function findConversions(
  tree: WorkingTree,
  entries: readonly CleanEntry[],
  signal: AbortSignal,
): Promise<Map<string, Conversion>> {
  const input = entries.map(({ path }) => `${path}\0`).join("");
  const options = { signal, input, maxBytes: attributeNames.length * (2 * input.length + 100 * entries.length) + 1000 };
  const fields = (await tree.git(["check-attr", "-z", "--stdin", ...attributeNames], options)).toString().split("\0");
  const conversions = new Map<string, Conversion>();
  if (tree.convertsLines) for (const { path } of entries) conversions.set(path, "lines");
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = "", name = "", value = ""] = fields.slice(at, at + 3);
    if (value === "unspecified" || (value === "unset" && name !== "text" && name !== "crlf")) continue;
    if (name === "filter" || name === "ident" || name === "working-tree-encoding") conversions.set(path, "unknown");
    else if (value === "unset") conversions.delete(path);
    else if (conversions.get(path) !== "unknown") conversions.set(path, "lines");
  }
  return conversions;
}

/** The content of a file with line ends of which the size in the index tells what they were. Undefined if it tells nothing known. */
function convert(blob: Buffer, conversion: Conversion, size: number | undefined): Buffer | undefined {
  if (conversion === "unknown" || size === undefined) return undefined;
  if (size === blob.length) return blob;
  const withReturns = Buffer.from(blob.toString("latin1").replace(/\r?\n/g, "\r\n"), "latin1");
  return size === withReturns.length ? withReturns : undefined;
}

/** The sizes that the files had when git last looked at them; without those that git does not trust. */
async function readSizes(tree: WorkingTree, paths: readonly string[], signal: AbortSignal): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  if (paths.length === 0) return sizes;
  const length = paths.join("").length;
  if (length > 100_000) throw new SnapshotError("too many files with converted line ends have changed", "size");
  const args = ["ls-files", "--cached", "--debug", "-z", "--", ...paths];
  const output = (await tree.git(args, { signal, maxBytes: 2 * length + 1000 * paths.length })).toString();
  // For each file its path, a NUL, and lines of which one has the size. It is 0 for a file that changed when the index was written.
  for (const [, path = "", size = "0"] of output.matchAll(/([^\0]+)\0\s+ctime:.*\n.*\n.*\n.*\n\s+size: (\d+).*\n/g)) {
    if (size !== "0") sizes.set(path, Number(size));
  }
  return sizes;
}
