import { dirname, join, relative, resolve, sep } from "node:path";
import { isInside } from "../tools/files/write-target.ts";
import { foldersIn, kindOf, realPathOf, textOf } from "./look.ts";

/** The files of a repository with which programs run later, and the folders that lead to them. */
export interface GuardedRepository {
  /** Its folder with objects and references, which commands must be able to write. */
  gitFolder: string;
  /** Existing files and folders that must not change. */
  fixed: string[];
  /** Folders that must not be renamed, because another one in their place would be used instead. */
  held: string[];
  /** Folders that must not appear with content; the first command creates them. */
  missing: string[];
  /** Files that must not appear. */
  forbidden: string[];
}

/** Maximum levels of submodules in `.git/modules`. */
const maxModuleDepth = 6;
/** Maximum folders of submodules and worktrees that are guarded. Each one costs some tenths of a millisecond for every command. */
const maxGuarded = 40;

/**
 * Finds what must be guarded in the repository of a folder. For a worktree or a submodule, whose `.git` is a file, that is the repository to which
 * it belongs, if that one knows the folder as its own.
 *
 * @param folder - With links resolved.
 * @returns undefined if the folder is not the top of a repository.
 */
export function findRepository(folder: string): GuardedRepository | undefined {
  const entry = join(folder, ".git");
  const kind = kindOf(entry);
  if (kind === "folder") return guard(entry, folder);
  if (kind !== "file") return undefined;
  const own = realPathOf(resolve(folder, /^gitdir: (.+)$/m.exec(textOf(entry) ?? "")?.[1]?.trim() ?? entry));
  const gitFolder = own === undefined ? undefined : (commonFolderOf(own, entry) ?? moduleFolderOf(own, folder));
  if (gitFolder === undefined) return { gitFolder: folder, fixed: [entry], held: [], missing: [], forbidden: [] };
  const guarded = guard(gitFolder, folder);
  return { ...guarded, fixed: [entry, ...guarded.fixed] };
}

/** The main repository of a worktree. The worktree is registered there with the path of its `.git` file, so another folder cannot claim it. */
function commonFolderOf(own: string, entry: string): string | undefined {
  const common = realPathOf(resolve(own, textOf(join(own, "commondir"))?.trim() ?? "."));
  if (common === undefined || dirname(own) !== join(common, "worktrees") || !isGitFolder(common)) return undefined;
  return textOf(join(own, "gitdir"))?.trim() === entry ? common : undefined;
}

/** The repository of a submodule. Its settings name the folder. */
function moduleFolderOf(own: string, folder: string): string | undefined {
  const workTree = /^\s*worktree\s*=\s*(.+)$/m.exec(textOf(join(own, "config")) ?? "")?.[1]?.trim();
  if (workTree === undefined || !own.includes(`${sep}.git${sep}modules${sep}`) || !isGitFolder(own)) return undefined;
  return realPathOf(resolve(own, workTree)) === folder ? own : undefined;
}

function isGitFolder(path: string): boolean {
  return (
    kindOf(join(path, "HEAD")) === "file" && kindOf(join(path, "objects")) === "folder" && kindOf(join(path, "refs")) === "folder"
  );
}

function guard(gitFolder: string, folder: string): GuardedRepository {
  const guarded: GuardedRepository = { gitFolder, fixed: [], held: [gitFolder], missing: [], forbidden: [] };
  guardSettings(guarded, gitFolder, folder);
  // With this file, Git takes settings and hooks from another folder.
  guarded.forbidden.push(join(gitFolder, "commondir"));
  for (const name of foldersIn(join(gitFolder, "worktrees")).slice(0, maxGuarded)) {
    const worktree = join(gitFolder, "worktrees", name);
    hold(guarded, gitFolder, worktree);
    guarded.fixed.push(...["commondir", "gitdir", "config.worktree"].map((file) => join(worktree, file)).filter(exists));
  }
  for (const module of findModules(join(gitFolder, "modules"), maxModuleDepth).slice(0, maxGuarded)) {
    hold(guarded, gitFolder, module);
    guardSettings(guarded, module, folder);
  }
  return guarded;
}

function guardSettings(guarded: GuardedRepository, gitFolder: string, folder: string): void {
  const config = join(gitFolder, "config");
  const hooks = join(gitFolder, "hooks");
  if (exists(hooks)) guarded.fixed.push(hooks);
  else guarded.missing.push(hooks);
  guarded.fixed.push(...[config, join(gitFolder, "config.worktree")].filter(exists));
  // Further files that the settings name.
  for (const [, key = "", value = ""] of (textOf(config) ?? "").matchAll(settingPattern)) {
    const path = resolve(key.toLowerCase() === "path" ? gitFolder : folder, value.replace(/^"(.*)"$/, "$1"));
    const isOurs = isInside(folder, path) && path !== folder && exists(path);
    if (isOurs && !guarded.fixed.includes(path)) guarded.fixed.push(path);
  }
}

/** `core.hooksPath`, and the paths of included settings. */
const settingPattern = /^[ \t]*(hookspath|path)[ \t]*=[ \t]*(.+?)[ \t]*$/gim;

function exists(path: string): boolean {
  const kind = kindOf(path);
  return kind === "file" || kind === "folder";
}

/** Holds all folders from a repository down to one of its folders. */
function hold(guarded: GuardedRepository, gitFolder: string, folder: string): void {
  const names = relative(gitFolder, folder).split(sep);
  for (let depth = 1; depth <= names.length; depth += 1) {
    const path = join(gitFolder, ...names.slice(0, depth));
    if (!guarded.held.includes(path)) guarded.held.push(path);
  }
}

/** The repositories of submodules, also of those in folders. */
function findModules(folder: string, depth: number): string[] {
  if (depth === 0) return [];
  return foldersIn(folder).flatMap((name) => {
    const path = join(folder, name);
    return isGitFolder(path) ? [path, ...findModules(join(path, "modules"), depth - 1)] : findModules(path, depth - 1);
  });
}
