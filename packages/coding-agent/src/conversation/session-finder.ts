import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readSessionHeader } from "./read-session.ts";

/**
 * The session file of a folder that was written to last and belongs to `cwd`; undefined when there is none. Files that vanish meanwhile,
 * cannot be read, or have another `cwd` in their header are passed over.
 */
export function findLatestSession(folder: string, cwd: string): string | undefined {
  const candidates: { path: string; modifiedMs: number }[] = [];
  for (const name of listFiles(folder)) {
    const path = join(folder, name);
    const modifiedMs = modificationTime(path);
    if (modifiedMs !== undefined) candidates.push({ path, modifiedMs });
  }
  // Names begin with the time of creation, which decides between files written in the same instant.
  candidates.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.path < b.path ? 1 : -1));
  return candidates.find(({ path }) => readHeaderCwd(path) === cwd)?.path;
}

/**
 * The session file of a folder whose id is `id`, or begins with it.
 *
 * @returns All that match, so that a caller can tell none from several.
 */
export function findSessionsById(folder: string, id: string): string[] {
  const matches: string[] = [];
  for (const name of listFiles(folder)) {
    const fileId = name.slice(name.indexOf("_") + 1, -".jsonl".length);
    if (fileId === id) return [join(folder, name)];
    if (fileId.startsWith(id)) matches.push(join(folder, name));
  }
  return matches;
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  } catch {
    return []; // no folder: no sessions yet
  }
}

function modificationTime(path: string): number | undefined {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return undefined; // deleted since it was listed
  }
}

function readHeaderCwd(path: string): string | undefined {
  try {
    return readSessionHeader(path).cwd;
  } catch {
    return undefined; // unreadable or foreign: not a session to continue
  }
}
