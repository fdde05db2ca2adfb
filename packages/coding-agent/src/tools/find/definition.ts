import { type AgentTool, ToolError } from "@pikit/agent";
import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { defaultOutputLimits } from "../../exec/output-limits.ts";
import type { FileToolOptions } from "../files/file-access.ts";
import { explainFileError } from "../files/file-errors.ts";
import { localFiles } from "../files/local-files.ts";
import { findExisting } from "../files/paths.ts";
import { assertWorkingFolderOf } from "../files/regular-file.ts";
import { formatSize } from "../output/truncate.ts";
import { compileGlob } from "../search/glob.ts";
import { type PathListDetails, renderPaths } from "../search/render-paths.ts";
import { openRoot } from "../search/search-root.ts";
import { walkTree } from "../search/walk.ts";

const defaultLimit = 1000;
const { maxBytes } = defaultOutputLimits;

const parameters = Type.Object({
  pattern: Type.String({
    minLength: 1,
    description: 'Glob. Without "/" for names anywhere below: "*.ts"; with "/" for paths relative to path: "src/**/*.spec.ts"',
  }),
  path: Type.Optional(
    Type.String({ description: "Folder to search, absolute or relative to the working folder (default: the working folder)" }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: `Most paths to return (default ${defaultLimit})` })),
});

export type FindParameters = Static<typeof parameters>;
export type FindDetails = PathListDetails;

/** The `find` tool for one working folder: files, folders and links by name. Nothing found is a normal result. */
export function createFindTool(cwd: string, options: FileToolOptions = {}): AgentTool<typeof parameters, FindDetails> {
  const files = options.files ?? localFiles;
  return {
    name: "find",
    label: "Find",
    description:
      "Finds files, folders and links whose names or paths match a glob. Returns paths relative to the working folder, folders with a " +
      `final "/". Skips what .gitignore files exclude; dotfiles are found. At most ${defaultLimit} paths (see limit) and ${formatSize(maxBytes)}.`,
    parameters,
    executionMode: "parallel",
    async execute(_toolCallId, { pattern, path = ".", limit = defaultLimit }, signal) {
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
        let unreadable = 0;
        let isStopped = false;
        const walk = walkTree({
          files,
          root: root.realPath,
          signal,
          accept: (entry) => glob.matches(entry.path, entry.type === "directory"),
          onUnreadable: () => unreadable++,
        });
        for await (const entry of walk) {
          isStopped = entries.length === limit;
          if (isStopped) break;
          entries.push(root.show(entry.path) + (entry.type === "directory" ? "/" : ""));
        }
        const total = isStopped ? null : entries.length;
        const emptyText = `No files found matching ${pattern}.`;
        const { text, details } = renderPaths({ path: absolutePath, entries, total, limit, unreadable, emptyText });
        return { content: [{ type: "text", text }], details };
      } catch (error) {
        throw await explainFileError(error, { files, cwd, action: "search", path, absolutePath });
      }
    },
  };
}
