import { join } from "node:path";
import { type AgentToolResult, ToolError } from "@pikit/agent";
import type { DirectoryEntry, FileAccess, FileToolCall } from "../files/file-access.ts";
import { explainFileError } from "../files/file-errors.ts";
import { localFiles } from "../files/local-files.ts";
import { findExisting } from "../files/paths.ts";
import { assertWorkingFolderOf } from "../files/regular-file.ts";
import { compareNames } from "../search/name-order.ts";
import { type PathListDetails, renderPaths } from "../search/render-paths.ts";
import { defaultLimit, type LsParameters } from "./parameters.ts";

/** The number of links to resolve in parallel. */
const linksAtOnce = 16;

/** Executes one call of `ls`. */
export async function runLs(
  { path = ".", limit = defaultLimit }: LsParameters,
  { cwd, signal, files = localFiles }: FileToolCall,
): Promise<AgentToolResult<PathListDetails>> {
  let absolutePath = path;
  try {
    await assertWorkingFolderOf(files, cwd);
    absolutePath = await findExisting(cwd, path, files);
    if ((await files.stat(absolutePath)).type !== "directory") {
      throw new ToolError("not_directory", `Cannot list ${path}: it is a file, not a folder. See what is in it with read.`);
    }
    const all = sortByName(await files.readdir(absolutePath));
    signal.throwIfAborted();
    const entries = await toLines(files, absolutePath, all.slice(0, limit), signal);
    const list = { path: absolutePath, entries, total: all.length, limit, unreadable: 0, emptyText: "(empty directory)" };
    const { text, details } = renderPaths(list);
    return { content: [{ type: "text", text }], details };
  } catch (error) {
    throw await explainFileError(error, { files, cwd, action: "list", path, absolutePath });
  }
}

/** Sorts by name, ignoring case; names that differ only in case are in byte order. */
function sortByName(entries: readonly DirectoryEntry[]): DirectoryEntry[] {
  return entries
    .map((entry) => ({ entry, key: entry.name.toLowerCase() }))
    .sort((a, b) => compareNames(a.key, b.key) || compareNames(a.entry.name, b.entry.name))
    .map(({ entry }) => entry);
}

async function toLines(
  files: FileAccess,
  folder: string,
  entries: readonly DirectoryEntry[],
  signal: AbortSignal,
): Promise<string[]> {
  const toLine = async ({ name, type }: DirectoryEntry) => {
    const isFolder = type === "directory" || (type === "link" && (await leadsToFolder(files, join(folder, name))));
    return isFolder ? `${name}/` : name;
  };
  const lines: string[] = [];
  for (let start = 0; start < entries.length; start += linksAtOnce) {
    signal.throwIfAborted();
    lines.push(...(await Promise.all(entries.slice(start, start + linksAtOnce).map(toLine))));
  }
  return lines;
}

async function leadsToFolder(files: FileAccess, link: string): Promise<boolean> {
  return files.stat(link).then(
    ({ type }) => type === "directory",
    () => false, // a dangling link, a loop, or a target without access
  );
}
