import { join } from "node:path";
import { walkTree } from "../search/walk.ts";
import type { GrepRequest } from "./grep-request.ts";
import { createLineMatcher } from "./line-matcher.ts";
import { type FoundMatches, MatchCollector } from "./matches.ts";
import { type FileScan, scanFile } from "./scan-file.ts";

/** The number of files to read in parallel. */
const filesAhead = 8;

/**
 * Searches with the file access, with the same results as ripgrep: for other file systems, and if ripgrep is missing.
 *
 * @throws {ToolError} `invalid_pattern`. Also the errors of the file access for the root, and the reason of the abort signal.
 */
export async function searchThroughAccess(request: GrepRequest): Promise<FoundMatches> {
  const { files, root, glob, context, limit } = request;
  const matches = await createLineMatcher(request);
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  const collector = new MatchCollector(request);
  let unreadable = 0;
  const scan = (path: string) => scanFile(files, path, { matches, context, limit, signal });

  if (root.type === "file") {
    addFile(collector, "", await scan(root.realPath));
    return collector.end(0);
  }

  const pending: { path: string; scanned: Promise<FileScan | undefined> }[] = [];
  /** @returns Whether the search should continue. */
  const takeFirst = async () => {
    const first = pending.shift();
    if (!first) return true;
    const scanned = await first.scanned;
    request.signal.throwIfAborted();
    if (!scanned) unreadable++;
    return !scanned || addFile(collector, first.path, scanned);
  };
  const entries = walkTree({
    files,
    root: root.realPath,
    signal,
    accept: ({ path, type }) => type === "file" && (!glob || glob.accepts(path)),
    onUnreadable: () => unreadable++,
  });
  try {
    for await (const { path } of entries) {
      // A file that was removed or cannot be read does not end the search.
      pending.push({ path, scanned: scan(join(root.realPath, path)).catch(() => undefined) });
      if (pending.length === filesAhead && !(await takeFirst())) return collector.end(unreadable);
    }
    while (pending.length > 0) if (!(await takeFirst())) break;
    return collector.end(unreadable);
  } finally {
    stop.abort();
  }
}

/** @returns Whether the search should continue. */
function addFile(collector: MatchCollector, path: string, { lines, isBinary }: FileScan): boolean {
  const isMoreWanted = lines.every((line) => collector.add(path, line));
  // As with ripgrep, a limit may end the search before the file is detected as binary.
  if (isMoreWanted && isBinary) collector.drop(path);
  return isMoreWanted;
}
