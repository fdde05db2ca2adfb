import { dirname, join, resolve } from "node:path";
import { readWholeSync } from "@pikit/ai/files/sync";

/** Longer files are not those of git. */
const maxBytes = 4096;

/**
 * The branch that is checked out in a folder or in one above it, or the first digits of its commit; undefined outside a git repository. The files are
 * small, and reading them asynchronously would load the promises of node:fs, which takes 2 ms of a start.
 */
export function readGitBranch(folder: string): string | undefined {
  for (let current = resolve(folder); ; current = dirname(current)) {
    const head = readHead(join(current, ".git"));
    if (head !== undefined) return toBranch(head);
    if (dirname(current) === current) return undefined;
  }
}

/** Reads HEAD. In a worktree and a submodule, `.git` is a file that names the folder. */
function readHead(path: string): string | undefined {
  const direct = readShort(join(path, "HEAD"));
  if (direct !== undefined) return direct;
  const folder = /^gitdir: (.+)$/m.exec(readShort(path) ?? "")?.[1];
  return folder === undefined ? undefined : readShort(join(resolve(dirname(path), folder), "HEAD"));
}

/** Reads a short file; undefined if there is none, or it is long. */
function readShort(path: string): string | undefined {
  try {
    return readWholeSync(path, maxBytes).toString("utf8");
  } catch {
    return undefined; // usually because there is none
  }
}

function toBranch(head: string): string {
  return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? head.trim().slice(0, 8);
}
