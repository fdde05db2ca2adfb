import { join } from "node:path";
import { type AgentTool, ToolError } from "@pikit/agent";
import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { defaultOutputLimits } from "../../exec/output-limits.ts";
import type { DirectoryEntry, FileAccess, FileToolOptions } from "../files/file-access.ts";
import { explainFileError } from "../files/file-errors.ts";
import { localFiles } from "../files/local-files.ts";
import { findExisting } from "../files/paths.ts";
import { assertWorkingFolderOf } from "../files/regular-file.ts";
import { formatSize } from "../output/truncate.ts";
import { compareNames } from "../search/name-order.ts";
import { type PathListDetails, renderPaths } from "../search/render-paths.ts";

const defaultLimit = 500;
const { maxBytes } = defaultOutputLimits;
/** How many links are looked at together. */
const linksAtOnce = 16;

const parameters = Type.Object({
  path: Type.Optional(
    Type.String({ description: "Folder to list, absolute or relative to the working folder (default: the working folder)" }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: `Most entries to return (default ${defaultLimit})` })),
});

export type LsParameters = Static<typeof parameters>;
export type LsDetails = PathListDetails;

/** The `ls` tool for one working folder. */
export function createLsTool(cwd: string, options: FileToolOptions = {}): AgentTool<typeof parameters, LsDetails> {
  const files = options.files ?? localFiles;
  return {
    name: "ls",
    label: "List",
    description:
      'Lists a folder, dotfiles included, sorted without regard to case, folders and links to folders with a final "/". ' +
      `At most ${defaultLimit} entries (see limit) and ${formatSize(maxBytes)}.`,
    parameters,
    executionMode: "parallel",
    async execute(_toolCallId, { path = ".", limit = defaultLimit }, signal) {
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
    },
  };
}

/** Names that differ in case only keep the order of their bytes. */
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
    () => false, // a link to nothing, in a circle, or to where we may not look
  );
}
