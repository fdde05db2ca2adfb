import { type AgentToolResult, ToolError } from "@pikit/agent";
import type { FileToolCall } from "../files/file-access.ts";
import { explainFileError } from "../files/file-errors.ts";
import { localFiles } from "../files/local-files.ts";
import { findExisting } from "../files/paths.ts";
import { assertWorkingFolderOf } from "../files/regular-file.ts";
import { compileGlob } from "../search/glob.ts";
import { type PathListDetails, renderPaths } from "../search/render-paths.ts";
import { openRoot } from "../search/search-root.ts";
import { walkInBatches } from "../search/walk.ts";
import { defaultLimit, type FindParameters } from "./parameters.ts";

/** Executes one call of `find`. */
export async function runFind(
  { pattern, path = ".", limit = defaultLimit }: FindParameters,
  { cwd, signal, files = localFiles }: FileToolCall,
): Promise<AgentToolResult<PathListDetails>> {
  let absolutePath = path;
  try {
    await assertWorkingFolderOf(files, cwd);
    absolutePath = await findExisting(cwd, path, files);
    const root = await openRoot(files, cwd, absolutePath, path);
    if (root.type === "file") {
      throw new ToolError("not_directory", `Cannot search ${path}: it is a file. Give a folder, or leave path out.`);
    }
    const glob = await compileGlob(pattern);
    const entries: string[] = [];
    let known = 0;
    let unreadable = 0;
    let isStopped = false;
    const walk = walkInBatches({
      files,
      root: root.realPath,
      signal,
      accept: (entry) => glob.matches(entry.path, entry.type === "directory"),
      onUnreadable: () => unreadable++,
    });
    for await (const found of walk) {
      for (const { path: name, type } of found.slice(0, limit - entries.length)) {
        entries.push(root.show(name) + (type === "directory" ? "/" : ""));
      }
      known += found.length;
      isStopped = known > limit;
      if (isStopped) break;
    }
    const total = isStopped ? null : entries.length;
    const emptyText = `No files found matching ${pattern}.`;
    const { text, details } = renderPaths({ path: absolutePath, entries, total, limit, unreadable, emptyText });
    return { content: [{ type: "text", text }], details };
  } catch (error) {
    throw await explainFileError(error, { files, cwd, action: "search", path, absolutePath });
  }
}
