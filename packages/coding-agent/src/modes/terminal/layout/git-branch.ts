import { dirname, join, resolve } from "node:path";
import { readWhole } from "@pikit/ai/files";

/** Longer files are not those of git. */
const maxBytes = 4096;

/** The branch that is checked out in a folder or in one above it, or the first digits of its commit; undefined outside a git repository. */
export async function readGitBranch(folder: string): Promise<string | undefined> {
  for (let current = resolve(folder); ; current = dirname(current)) {
    const head = await readHead(join(current, ".git"));
    if (head !== undefined) return toBranch(head);
    if (dirname(current) === current) return undefined;
  }
}

/** Reads HEAD. In a worktree and a submodule, `.git` is a file that names the folder. */
async function readHead(path: string): Promise<string | undefined> {
  const direct = await readShort(join(path, "HEAD"));
  if (direct !== undefined) return direct;
  const folder = /^gitdir: (.+)$/m.exec((await readShort(path)) ?? "")?.[1];
  return folder === undefined ? undefined : readShort(join(resolve(dirname(path), folder), "HEAD"));
}

/** Reads a short file; undefined if there is none, or it is long. */
function readShort(path: string): Promise<string | undefined> {
  return readWhole(path, maxBytes).then(
    (bytes) => bytes.toString("utf8"),
    () => undefined,
  );
}

function toBranch(head: string): string {
  return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? head.trim().slice(0, 8);
}
