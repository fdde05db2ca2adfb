import { join } from "node:path";
import { untilAborted } from "../../until-aborted.ts";
import type { DirectoryEntry, FileAccess, FileType } from "../files/file-access.ts";
import { createBreather } from "./breather.ts";
import { IgnoreRules, ignoreFileName, type RuledFolder, readIgnoreFile } from "./ignore-rules.ts";
import { compareNames } from "./name-order.ts";
import { hasRepositoryMarker } from "./repositories.ts";

/** How many folders beside each other are read ahead: the disk is no bottleneck then, and a distant file system less of one. */
const foldersAhead = 8;

export interface WalkedEntry {
  /** Relative to the root, `/`-separated. */
  path: string;
  /** Links are not followed. */
  type: FileType;
}

export interface WalkOptions {
  files: FileAccess;
  /** Absolute path of a folder, links followed. */
  root: string;
  signal: AbortSignal;
  /** Which entries are wanted. Asked before the ignore rules, which take longer. */
  accept(entry: WalkedEntry): boolean;
  /** Whether to look into a folder. Default: into all. */
  enter?(path: string, folder: { isRepository: boolean }): boolean;
  /** Told of a folder that cannot be read; the walk goes on. */
  onUnreadable?(path: string): void;
}

interface Folder extends RuledFolder {
  entries: DirectoryEntry[];
}

/** A folder in the middle of its walk. */
interface Frame {
  prefix: string;
  rules: IgnoreRules;
  /** What is neither `.git` nor an ignored folder, in order. */
  entries: DirectoryEntry[];
  index: number;
  /** Folders that are being read, undefined when they cannot be. */
  ahead: Map<string, Promise<Folder | undefined>>;
  /** Where in `entries` the next folder to read ahead is looked for. */
  aheadIndex: number;
}

/**
 * All entries of a tree that .gitignore files do not exclude, dotfiles included, `.git` never; each folder before its content, names
 * in the order of their bytes. Links are entries and are not followed, so loops cannot arise.
 *
 * @throws What the file access throws for the root, and the abort's reason.
 */
export async function* walkTree(options: WalkOptions): AsyncGenerator<WalkedEntry, void, undefined> {
  const { files, root, signal, accept, enter, onUnreadable } = options;
  const breathe = createBreather();
  const outerRules = await untilAborted(IgnoreRules.above(files, root, signal), signal);
  const stack = [createFrame(options, "", await untilAborted(readFolder(options, root), signal), outerRules)];
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    signal.throwIfAborted();
    await breathe();
    const next = frame.entries[frame.index++];
    if (!next) {
      stack.pop();
      continue;
    }
    const entry: WalkedEntry = { path: frame.prefix + next.name, type: next.type };
    const isDirectory = next.type === "directory";
    if (accept(entry) && (isDirectory || !frame.rules.ignores(entry.path, false))) yield entry;
    if (!isDirectory) continue;
    readAhead(options, frame);
    const folder = await untilAborted(frame.ahead.get(entry.path), signal);
    frame.ahead.delete(entry.path);
    if (!folder) onUnreadable?.(entry.path);
    else if (enter?.(entry.path, folder) !== false) stack.push(createFrame(options, entry.path, folder, frame.rules));
  }
}

function createFrame(options: WalkOptions, path: string, folder: Folder, outerRules: IgnoreRules): Frame {
  const prefix = path === "" ? "" : `${path}/`;
  const rules = outerRules.enter(path, folder);
  const entries = folder.entries
    .filter(({ name, type }) => name !== ".git" && !(type === "directory" && rules.ignores(prefix + name, true)))
    .sort((a, b) => compareNames(a.name, b.name));
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
      // Nobody may come to await it, so it must not reject.
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
