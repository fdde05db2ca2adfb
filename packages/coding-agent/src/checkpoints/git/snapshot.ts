import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { localFiles } from "../../tools/files/local-files.ts";
import { inParallel } from "../in-parallel.ts";
import { maxImageBytes, type ObjectStore } from "../object-store.ts";
import { isAbsent, readImage } from "../read-image.ts";
import { type FileChange, type Image, isSame } from "../records.ts";
import { SnapshotError } from "../snapshot-error.ts";
import { type CleanEntry, readCleanContents } from "./clean-contents.ts";
import type { StatusEntry, WorkingTree } from "./working-tree.ts";

export interface SnapshotLimits {
  /** Milliseconds for each of the two looks. */
  maxMs: number;
  /** Bytes that are read for each of the two looks. */
  maxBytes: number;
  /** Files that are dirty, untracked or changed. */
  maxFiles: number;
}

/** A file of the working tree that was looked at. */
interface SeenFile {
  /** Changes with each change of the file. */
  state: string;
  image: Image;
}

/** The state of a working tree before a command: the files that are not as in the index. Everything else is. */
export interface Snapshot {
  /** The times at which the look began and ended: Unix time in milliseconds. */
  begun: number;
  time: number;
  files: Map<string, SeenFile>;
  /** Repositories within the tree, which git does not look into. Each ends with a slash. */
  repositories: string[];
}

export interface SnapshotParts {
  tree: WorkingTree;
  store: ObjectStore;
  limits: SnapshotLimits;
  signal: AbortSignal;
}

/** A file system stores times in steps of some milliseconds. */
const timeStepMs = 20;

/**
 * Looks at a working tree before a command, and keeps the content of the files that git does not have.
 *
 * @param known - The files of an earlier look: those that are unchanged are not read again.
 * @throws {SnapshotError}
 */
export async function takeSnapshot({ tree, store, limits, signal }: SnapshotParts, known?: Snapshot): Promise<Snapshot> {
  const begun = Date.now();
  await tree.takeIndex();
  const entries = await tree.status(signal);
  requireFew(entries.length, limits);
  const repositories = entries.flatMap(({ path }) => (path.endsWith("/") ? [path] : []));
  const paths = entries.map(({ path }) => path).filter((path) => !path.endsWith("/"));
  const budget = { bytes: limits.maxBytes };
  const seen = await inParallel(paths, async (path): Promise<[string, SeenFile]> => {
    const { state, size } = await stateOf(join(tree.root, path));
    const before = known?.files.get(path);
    if (before && before.state === state && !isRecent(state, known?.begun ?? 0)) return [path, before];
    requireTime(signal);
    // Larger files are not read.
    if (size <= maxImageBytes) budget.bytes -= size;
    if (budget.bytes < 0) throw new SnapshotError(`the changed and untracked files of ${tree.root} are too large`, "size");
    return [path, { state, image: await readImage(localFiles, join(tree.root, path), store) }];
  });
  return { begun, time: Date.now(), files: new Map(seen), repositories };
}

/**
 * Finds what has changed since a snapshot.
 *
 * @throws {SnapshotError}
 */
export async function findChanges(snapshot: Snapshot, parts: SnapshotParts): Promise<FileChange[]> {
  const { tree, limits, signal } = parts;
  const entries = await tree.status(signal);
  requireFew(entries.length, limits);
  const changed = await findChanged(snapshot, tree);
  const added = entries.filter(({ path }) => !snapshot.files.has(path) && !path.endsWith("/"));
  const tracked = added.filter((entry): entry is CleanEntry => entry.tracked !== undefined);
  const before = await readCleanContents(tree, tracked, { ...parts, maxBytes: limits.maxBytes });
  const changes: FileChange[] = [];
  const add = async (path: string, image: Image) => {
    requireTime(signal);
    const full = join(tree.root, path);
    const after = await readImage(localFiles, full);
    if (!isSame(image, after)) changes.push({ path: full, before: image, after });
  };
  await inParallel(changed, ([path, image]) => add(path, image));
  await inParallel([...tracked.entries()], ([index, { path }]) => add(path, before[index] ?? { kind: "other" }));
  const left = new Set(changes.flatMap(({ before: image }) => (image.kind === "file" ? [image.hash] : [])));
  const folders = foldersOf(changes, tree.root);
  const untracked = added.filter((entry) => entry.tracked === undefined && !isWithin(entry.path, snapshot.repositories));
  await inParallel(untracked, async ({ path }: StatusEntry) => {
    const full = join(tree.root, path);
    const after = await readImage(localFiles, full);
    const isMoved = after.kind === "file" && left.has(after.hash);
    if (!isMoved && !(await isYoungerThan(full, snapshot.time))) return;
    const folder = await createdFolder(dirname(full), tree.root, snapshot.time);
    changes.push({
      path: full,
      before: { kind: folders.has(full) ? "folder" : "none" },
      after,
      ...(folder === undefined ? {} : { folder }),
    });
  });
  return changes;
}

/** The files of a snapshot that are not as they were, with the image that they had. */
async function findChanged({ files, time }: Snapshot, { root }: WorkingTree): Promise<[string, Image][]> {
  const looked = await inParallel([...files], async ([path, { state, image }]): Promise<[string, Image][]> => {
    return (await stateOf(join(root, path))).state === state && !isRecent(state, time) ? [] : [[path, image]];
  });
  return looked.flat();
}

function requireTime({ aborted }: AbortSignal): void {
  if (aborted) throw new SnapshotError("the changed files could not be read in the time for it", "time");
}

function requireFew(count: number, { maxFiles }: SnapshotLimits): void {
  if (count > maxFiles) {
    throw new SnapshotError(`more than ${maxFiles} files of the git working tree are changed or untracked`, "size");
  }
}

async function stateOf(path: string): Promise<{ state: string; size: number }> {
  try {
    const { ino, size, mode, mtimeNs, ctimeNs } = await lstat(path, { bigint: true });
    return { state: [mtimeNs, ctimeNs, ino, size, mode].join(" "), size: Number(size) };
  } catch (error) {
    if (!isAbsent(error)) throw error;
    return { state: "", size: 0 };
  }
}

/** Whether a file changed so shortly before it was looked at that a later change could have the same time. */
function isRecent(state: string, time: number): boolean {
  const [mtimeNs = 0n, ctimeNs = 0n] = state === "" ? [] : state.split(" ", 2).map(BigInt);
  return Math.max(Number(mtimeNs / 1_000_000n), Number(ctimeNs / 1_000_000n)) > time - timeStepMs;
}

/** Whether a command that began at that time has created the file. A file that an ignore rule has hidden until then is older. */
async function isYoungerThan(path: string, time: number): Promise<boolean> {
  const { birthtimeMs } = await lstat(path);
  return birthtimeMs >= time - timeStepMs;
}

/** The folders in which files were that have changed. A file may be in the place of one now. */
function foldersOf(changes: readonly FileChange[], root: string): Set<string> {
  const folders = new Set<string>();
  for (const { path } of changes) {
    for (let at = dirname(path); at !== root && !folders.has(at); at = dirname(at)) folders.add(at);
  }
  return folders;
}

/** The topmost folder of a path that a command has created which began at that time; undefined if there is none. */
async function createdFolder(folder: string, root: string, time: number): Promise<string | undefined> {
  let created: string | undefined;
  for (let at = folder; at !== root && (await isYoungerThan(at, time)); at = dirname(at)) created = at;
  return created;
}

function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(folder));
}
