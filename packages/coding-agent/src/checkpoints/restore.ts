import { dirname, join } from "node:path";
import { isMissing, reasonOf } from "@pikit/ai/files";
import type { FileConflict, RestoredFile } from "../protocol/data.ts";
import type { FileAccess } from "../tools/files/file-access.ts";
import type { ObjectStore } from "./object-store.ts";
import { isReal, readImage } from "./read-image.ts";
import { executable, type FileChange, type FileImage, type Image, isSame } from "./records.ts";
import type { PathPlan } from "./timeline.ts";

const noAbort = new AbortController().signal;

export interface RestoreParts {
  files: FileAccess;
  store: ObjectStore;
}

export interface PreparedRestore {
  /** The changes to carry out: from what is there now to the target. */
  changes: (FileChange & { action: RestoredFile["action"] })[];
  conflicts: FileConflict[];
}

/**
 * Compares the files with a plan. Keeps the content of those that are going to be replaced.
 *
 * @param options - `force`: also replaces files that have changed since. `dryRun`: keeps nothing.
 */
export async function prepareRestore(
  plans: readonly PathPlan[],
  { files, store }: RestoreParts,
  { force, dryRun }: { force: boolean; dryRun: boolean },
): Promise<PreparedRestore> {
  const prepared: PreparedRestore = { changes: [], conflicts: [] };
  for (const plan of plans) {
    const { path, target } = plan;
    try {
      const now = await readImage(files, path, dryRun ? undefined : store);
      if (isSame(now, target)) continue;
      const reason = findConflict(plan, now, { files, store }, force);
      if (reason !== undefined) prepared.conflicts.push({ path, reason });
      else prepared.changes.push({ path, before: now, after: target, action: actionOf(now, target), ...pickFolder(plan) });
    } catch (error) {
      prepared.conflicts.push({ path, reason: `it cannot be read: ${reasonOf(error)}` });
    }
  }
  return prepared;
}

function findConflict(
  { target, expected, previous, isBroken }: PathPlan,
  now: Image,
  { files, store }: RestoreParts,
  force: boolean,
): string | undefined {
  if (target.kind === "other" || now.kind === "other") return "it is, or was, a device, a pipe or a socket";
  if (target.kind === "file" && (target.isKept === false || !store.has(target.hash))) return "its content before was not kept";
  if (target.kind === "none" && !files.remove) return "these files cannot be removed";
  if (target.kind === "link" && !(files.makeLink && files.remove)) return "it was a link before";
  if (force) return undefined;
  if (now.kind === "file" && now.isKept === false) return "it is too large to be kept, so it could not be brought back";
  if (isBroken) return "something else has changed it between two changes of tools";
  if (isSame(now, expected) || isSame(now, previous)) return undefined;
  // A folder makes way if nothing is left in it.
  if (now.kind === "folder" && expected.kind === "none") return undefined;
  return now.kind === "none" ? "it has been removed since" : "it has changed since";
}

function actionOf(now: Image, target: Image): RestoredFile["action"] {
  if (target.kind === "none") return "removed";
  return now.kind === "none" ? "created" : "replaced";
}

/**
 * Carries out the changes: removes first, the deepest paths first, and then writes, because a file may take the place of a folder, and the other
 * way round.
 *
 * @returns The failures.
 */
export async function applyRestore(changes: readonly FileChange[], parts: RestoreParts): Promise<FileConflict[]> {
  const removals = changes.filter(({ after }) => after.kind === "none").sort((a, b) => b.path.length - a.path.length);
  const writes = changes.filter(({ after }) => after.kind !== "none").sort((a, b) => a.path.length - b.path.length);
  const failures: FileConflict[] = [];
  for (const change of [...removals, ...writes]) {
    try {
      await applyChange(change, parts);
    } catch (error) {
      failures.push({ path: change.path, reason: `it cannot be written: ${reasonOf(error)}` });
    }
  }
  return failures;
}

async function applyChange({ path, before, after, folder }: FileChange, { files, store }: RestoreParts): Promise<void> {
  // A link must not be followed. A folder makes way only if it is empty; it may be gone with the last file in it.
  const parent = dirname(path);
  // With the last file in it, the folder may be gone.
  if (before.kind !== "none") await requireReal(files, parent).catch(ignoreMissing);
  const isInTheWay = before.kind !== "none" && (before.kind !== "file" || after.kind !== "file");
  if (isInTheWay && before.kind === "folder") await removeFolders(files, path).catch(ignoreMissing);
  else if (isInTheWay) await files.remove?.(path).catch(ignoreMissing);
  if (after.kind === "none") return removeEmpty(files, parent, folder);
  await files.mkdir(after.kind === "folder" ? path : parent);
  await requireReal(files, parent);
  if (after.kind === "link") return files.makeLink?.(path, after.target);
  if (after.kind !== "file") return;
  const content = await store.read(after.hash);
  if (!content) throw new Error("its stored content is damaged");
  await files.replace(path, content, noAbort);
  if (before.kind !== "file" && after.mode !== undefined) await files.setMode?.(path, after.mode);
  else await restoreExecutable(files, path, after);
}

/** @throws When a folder was replaced by a link: a change would go to another file. */
async function requireReal(files: FileAccess, folder: string): Promise<void> {
  if (!(await isReal(files, folder))) throw new Error("a folder of its path is a link now");
}

/** Sets only the bits for execution: the others may have changed since. */
async function restoreExecutable(files: FileAccess, path: string, image: FileImage): Promise<void> {
  const wanted = executable(image);
  const { mode } = await files.lstat(path);
  if (wanted === undefined || mode === undefined || wanted === ((mode & 0o100) !== 0)) return;
  await files.setMode?.(path, wanted ? mode | ((mode & 0o444) >> 2) : mode & ~0o111);
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

/** Removes a folder that has nothing but folders. Otherwise a part of them is removed, and it throws. */
async function removeFolders(files: FileAccess, folder: string): Promise<void> {
  for (const { name, type } of await files.readdir(folder)) {
    if (type === "directory") await removeFolders(files, join(folder, name));
  }
  await files.remove?.(folder);
}

/** Removes empty folders up to the topmost one that was created for the file. */
async function removeEmpty(files: FileAccess, folder: string, top: string | undefined): Promise<void> {
  if (top === undefined) return;
  for (let at = folder; at.startsWith(top); at = dirname(at)) {
    try {
      await files.remove?.(at);
    } catch {
      return; // not empty, or gone
    }
  }
}

function pickFolder({ folder }: PathPlan): Pick<FileChange, "folder"> {
  return folder === undefined ? {} : { folder };
}
