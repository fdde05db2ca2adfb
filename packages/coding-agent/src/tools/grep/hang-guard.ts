import { basename, dirname, join } from "node:path";
import { ignoreFileName } from "../search/ignore-rules.ts";
import { walkTree } from "../search/walk.ts";
import type { GrepRequest } from "./grep-request.ts";
import { RipgrepUnavailable } from "./ripgrep-process.ts";

/** Milliseconds before the check of a running search. Most searches take less, and the check takes longer than ripgrep. */
const checkAfterMs = 500;

/**
 * Runs a search with ripgrep. ripgrep hangs if a .gitignore is a pipe or an endless device, so a long search is checked for such files and
 * aborted if there is one.
 *
 * @throws {RipgrepUnavailable} If there is such a file. Also the errors of the search.
 */
export async function guardAgainstHang<T>(request: GrepRequest, search: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const work = new AbortController();
  const abort = () => work.abort(request.signal.reason);
  const over = new AbortController();
  const check = async () => {
    const path = await findOddIgnoreFile(request, over.signal);
    if (path !== undefined) work.abort(new RipgrepUnavailable(`${path} is no regular file.`));
  };
  // If the tree cannot be walked, the search reports the error.
  const timer = setTimeout(() => void check().catch(() => undefined), checkAfterMs);
  request.signal.addEventListener("abort", abort, { once: true });
  if (request.signal.aborted) abort();
  try {
    return await search(work.signal);
  } finally {
    request.signal.removeEventListener("abort", abort);
    clearTimeout(timer);
    over.abort();
  }
}

async function findOddIgnoreFile({ files, root }: GrepRequest, signal: AbortSignal): Promise<string | undefined> {
  const isOdd = (path: string) =>
    files.stat(path).then(
      ({ type }) => type === "other",
      () => false,
    );
  for (let folder = dirname(root.realPath); ; folder = dirname(folder)) {
    const path = join(folder, ignoreFileName);
    if (await isOdd(path)) return path;
    if (folder === dirname(folder)) break;
  }
  if (root.type === "file") return undefined;
  const accept = ({ path, type }: { path: string; type: string }) => type !== "file" && basename(path) === ignoreFileName;
  for await (const { path } of walkTree({ files, root: root.realPath, signal, accept })) {
    const found = join(root.realPath, path);
    if (await isOdd(found)) return found;
  }
  return undefined;
}
