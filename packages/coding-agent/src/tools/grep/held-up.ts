import { basename, dirname, join } from "node:path";
import { ignoreFileName } from "../search/ignore-rules.ts";
import { walkTree } from "../search/walk.ts";
import type { GrepRequest } from "./grep-request.ts";
import { RipgrepUnavailable } from "./ripgrep-process.ts";

/** Milliseconds after which a search is looked into that is still going: most take less, and to look takes longer than ripgrep does. */
const lookAfterMs = 500;

/**
 * Runs a search by ripgrep, which waits for ever where a .gitignore is a pipe, and reads for ever where it is an endless device. A search
 * that goes on for long is ended when there is one of those.
 *
 * @throws {RipgrepUnavailable} Then; and what the search throws.
 */
export async function unlessHeldUp<T>(request: GrepRequest, search: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const work = new AbortController();
  const abort = () => work.abort(request.signal.reason);
  const over = new AbortController();
  const look = async () => {
    const path = await findOddIgnoreFile(request, over.signal);
    if (path !== undefined) work.abort(new RipgrepUnavailable(`${path} is no regular file.`));
  };
  // A tree that cannot be walked is the search's to report.
  const timer = setTimeout(() => void look().catch(() => undefined), lookAfterMs);
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
