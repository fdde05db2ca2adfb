import { join } from "node:path";
import { walkTree } from "../search/walk.ts";
import type { GrepRequest } from "./grep-request.ts";
import { createLineMatcher } from "./line-matcher.ts";
import { type FoundMatches, MatchCollector } from "./matches.ts";
import { type FileScan, scanFile } from "./scan-file.ts";

/** How many files are read at a time. */
const filesAhead = 8;

/**
 * Searches through the file access, with the results that ripgrep has: for other file systems, and where ripgrep is missing.
 *
 * @throws {ToolError} `invalid_pattern`, what the access throws for the root, and the abort's reason.
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
  /** @returns Whether more is wanted. */
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
      // A file that vanishes or may not be read does not end the search.
      pending.push({ path, scanned: scan(join(root.realPath, path)).catch(() => undefined) });
      if (pending.length === filesAhead && !(await takeFirst())) return collector.end(unreadable);
    }
    while (pending.length > 0) if (!(await takeFirst())) break;
    return collector.end(unreadable);
  } finally {
    stop.abort();
  }
}

/** @returns Whether more is wanted. */
function addFile(collector: MatchCollector, path: string, { lines, isBinary }: FileScan): boolean {
  const isMoreWanted = lines.every((line) => collector.add(path, line));
  // A limit that is reached on the way ends the search before the file is seen to be binary, as it does with ripgrep.
  if (isMoreWanted && isBinary) collector.drop(path);
  return isMoreWanted;
}
