import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { toAbsolute } from "../config/paths.ts";
import type { SandboxSettings } from "../config/sandbox-modes.ts";
import { isInside } from "../tools/files/write-target.ts";
import { findRepository } from "./git-folders.ts";
import { kindOf, realPathOf } from "./look.ts";
import { isCovered } from "./missing-places.ts";
import { secretPlaces } from "./secret-places.ts";
import { findStartFiles } from "./start-files.ts";

/** What a sandbox allows on disk. All paths are absolute, with links resolved. */
export interface SandboxPlaces {
  /** The working folder. */
  folder: string;
  /** The temporary folder of the session, which commands see as /tmp. */
  temporary: string;
  /** Folders and files that can be written, the working folder first. The temporary folder is not among them. */
  writable: string[];
  /** Folders and files that cannot be read. */
  hidden: string[];
  /** Folders and files in hidden ones that can be read. */
  readable: string[];
  /** Existing folders and files in writable ones that cannot be changed. */
  fixed: string[];
  /** Folders in writable ones that cannot be renamed. */
  held: string[];
  /** Paths in writable folders at which nothing may appear. */
  missing: string[];
  /** Files that are removed when a command has made them. */
  forbidden: string[];
}

export interface PlacesOptions {
  /** The working folder, absolute. */
  cwd: string;
  temporary: string;
  agentDir: string;
  settings: SandboxSettings;
  /** Default: the home folder of the user of this process. */
  home?: string | undefined;
  /** Repositories below the working folder; see `findNestedRepositories`. */
  nested: readonly string[];
}

/** Works out what a sandbox allows on disk. It looks at the disk, so it is called before each command. */
export function findPlaces({ cwd, temporary, agentDir, settings, home = homedir(), nested }: PlacesOptions): SandboxPlaces {
  const folder = realPathOf(cwd) ?? resolve(cwd);
  const existing = (paths: readonly string[] = []) => [
    ...new Set(paths.flatMap((path) => realPathOf(toAbsolute(path, folder)) ?? [])),
  ];
  const secrets = secretPlaces(agentDir, home);
  const places: SandboxPlaces = {
    ...{ folder, temporary, writable: [folder, ...existing(settings.writable)] },
    hidden: existing([...secrets.hidden, ...(settings.hidden ?? [])]),
    readable: existing([...secrets.readable, ...(settings.readable ?? [])]),
    ...{ fixed: [], held: [], missing: [], forbidden: [] },
  };
  // What the user names exactly is not hidden.
  places.hidden = places.hidden.filter((path) => !places.readable.includes(path) && !places.writable.includes(path));
  const realHome = realPathOf(home) ?? home;
  for (const root of [...places.writable, ...nested]) guardRoot(places, root, realHome);
  if (isInside(folder, realHome) && folder !== realHome) guardStartFiles(places, realHome, realHome);
  // An empty folder that stands there for another command is missing for this one, too.
  places.missing.push(...places.fixed.filter(isCovered));
  places.fixed = places.fixed.filter((path) => !isCovered(path));
  return places;
}

function guardRoot(places: SandboxPlaces, root: string, home: string): void {
  if (kindOf(root) !== "folder") return;
  if (places.writable.includes(root)) guardStartFiles(places, root, home);
  const repository = findRepository(root);
  if (!repository) return;
  if (!places.writable.some((path) => isInside(path, repository.gitFolder))) {
    // Only the top of a worktree may bring a repository from elsewhere.
    if (!places.writable.includes(root)) return;
    places.writable.push(repository.gitFolder);
  }
  for (const kind of ["fixed", "held", "missing", "forbidden"] as const) places[kind].push(...repository[kind]);
}

function guardStartFiles(places: SandboxPlaces, folder: string, home: string): void {
  const { fixed, missing } = findStartFiles(folder, home);
  places.fixed.push(...fixed);
  places.missing.push(...missing);
}

/** How far below the working folder repositories are looked for, and in how many folders. */
const nestedLimits = { depth: 4, folders: 2000, found: 20 };
const skipped = new Set([".git", "node_modules", "target", "dist", "build", ".venv", "venv"]);

/**
 * Finds repositories below a folder, within limits: 4 levels, 2,000 folders, 20 repositories.
 *
 * @param folder - With links resolved.
 */
export function findNestedRepositories(folder: string): string[] {
  const found: string[] = [];
  let level = [folder];
  let looked = 0;
  for (let depth = 0; depth < nestedLimits.depth && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const parent of level) {
      looked += 1;
      if (looked > nestedLimits.folders || found.length >= nestedLimits.found) return found;
      for (const name of namesOfFolders(parent)) {
        const path = join(parent, name);
        if (kindOf(join(path, ".git")) !== undefined) found.push(path);
        next.push(path);
      }
    }
    level = next;
  }
  return found;
}

function namesOfFolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() && !skipped.has(entry.name) ? [entry.name] : [],
    );
  } catch {
    return [];
  }
}
