import { join } from "node:path";
import { breathe } from "../../exec/breathe.ts";
import { untilAborted } from "../../until-aborted.ts";
import type { DirectoryEntry, FileAccess, FileType } from "../files/file-access.ts";
import { IgnoreRules, ignoreFileName, type RuledFolder, readIgnoreFile } from "./ignore-rules.ts";
import { sortByName } from "./name-order.ts";
import { hasRepositoryMarker } from "./repositories.ts";

/** The number of sibling folders to read ahead, to hide the latency of the disk or of a remote file system. */
const foldersAhead = 8;

export interface WalkedEntry {
  /** Relative to the root, `/`-separated. */
  path: string;
  /** Links are not followed. */
  type: FileType;
}

export interface WalkOptions {
  files: FileAccess;
  /** Absolute path of a folder, with links resolved. */
  root: string;
  signal: AbortSignal;
  /** Selects entries. Called before the ignore rules are checked, which takes longer. */
  accept(entry: WalkedEntry): boolean;
  /** Whether to enter a folder. Default: all folders. */
  enter?(path: string, folder: { isRepository: boolean }): boolean;
  /** Called for a folder that cannot be read; the walk continues. */
  onUnreadable?(path: string): void;
}

interface Folder extends RuledFolder {
  entries: DirectoryEntry[];
}

/** A folder in the middle of its walk. */
interface Frame {
  prefix: string;
  rules: IgnoreRules;
  /** The entries except `.git` and ignored folders, in order. */
  entries: DirectoryEntry[];
  index: number;
  /** Folders that are being read; undefined if they are unreadable. */
  ahead: Map<string, Promise<Folder | undefined>>;
  /** The index in `entries` from which the next folder to read ahead is searched. */
  aheadIndex: number;
}

/**
 * Yields the entries of a tree that .gitignore files do not exclude, including dotfiles but never `.git`. A folder comes before its content;
 * names are in byte order. Links are entries and are not followed, so there are no loops.
 *
 * @throws The errors of the file access for the root, and the reason of the abort signal.
 */
export async function* walkTree(options: WalkOptions): AsyncGenerator<WalkedEntry, void, undefined> {
  for await (const entries of walkInBatches(options)) yield* entries;
}

/**
 * Like `walkTree`, but yields all entries that come without a pause as one list: to yield an entry takes longer than to find it.
 *
 * @throws Like `walkTree`.
 */
export async function* walkInBatches(options: WalkOptions): AsyncGenerator<WalkedEntry[], void, undefined> {
  const { files, root, signal, accept, enter, onUnreadable } = options;
  const outerRules = await untilAborted(IgnoreRules.above(files, root, signal), signal);
  const stack = [createFrame(options, "", await untilAborted(readFolder(options, root), signal), outerRules)];
  let found: WalkedEntry[] = [];
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    signal.throwIfAborted();
    // Without an await where there is no pause: that takes longer than most entries.
    const pause = breathe();
    if (pause !== undefined) {
      if (found.length > 0) yield found;
      found = [];
      await pause;
    }
    const next = frame.entries[frame.index++];
    if (!next) {
      stack.pop();
      continue;
    }
    const entry: WalkedEntry = { path: frame.prefix + next.name, type: next.type };
    const isDirectory = next.type === "directory";
    if (accept(entry) && (isDirectory || !frame.rules.ignores(entry.path, false))) found.push(entry);
    if (!isDirectory) continue;
    readAhead(options, frame);
    if (found.length > 0) yield found;
    found = [];
    const folder = await untilAborted(frame.ahead.get(entry.path), signal);
    frame.ahead.delete(entry.path);
    if (!folder) onUnreadable?.(entry.path);
    else if (enter?.(entry.path, folder) !== false) stack.push(createFrame(options, entry.path, folder, frame.rules));
  }
  if (found.length > 0) yield found;
}

function createFrame(options: WalkOptions, path: string, folder: Folder, outerRules: IgnoreRules): Frame {
  const prefix = path === "" ? "" : `${path}/`;
  const rules = outerRules.enter(path, folder);
  const entries = sortByName(
    folder.entries.filter(({ name, type }) => name !== ".git" && !(type === "directory" && rules.ignores(prefix + name, true))),
  );
  const frame: Frame = { prefix, rules, entries, index: 0, ahead: new Map(), aheadIndex: 0 };
  readAhead(options, frame);
  return frame;
}

function readAhead(options: WalkOptions, frame: Frame): void {
  while (frame.ahead.size < foldersAhead) {
    const next = frame.entries[frame.aheadIndex++];
    if (!next) return;
    if (next.type !== "directory") continue;
    const path = frame.prefix + next.name;
    frame.ahead.set(
      path,
      // The walk may end before it awaits this promise, so it must not reject.
      readFolder(options, join(options.root, path)).catch(() => undefined),
    );
  }
}

async function readFolder({ files, signal }: WalkOptions, path: string): Promise<Folder> {
  const entries = await files.readdir(path);
  const names = new Set(entries.map(({ name }) => name));
  const ignoreFile = names.has(ignoreFileName) ? await readIgnoreFile(files, path, signal) : undefined;
  return { entries, isRepository: hasRepositoryMarker(names), ignoreFile };
}
