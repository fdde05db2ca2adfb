import { dirname } from "node:path";
import { type AgentTool, ToolError } from "@pikit/agent";
import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import type { FileAccess, FileToolOptions } from "./file-access.ts";
import { toFileError } from "./file-errors.ts";
import { inFileQueue } from "./file-queue.ts";
import { localFiles } from "./local-files.ts";
import { expandPath } from "./paths.ts";
import { assertWorkingFolderOf } from "./regular-file.ts";
import { formatSize } from "./truncate.ts";

const parameters = Type.Object({
  path: Type.String({ description: "File to write, absolute or relative to the working folder" }),
  content: Type.String({ description: "The whole new content, stored exactly as given" }),
});

export type WriteParameters = Static<typeof parameters>;

export interface WriteDetails {
  /** Absolute, with links followed. */
  path: string;
  /** UTF-8 bytes written. */
  bytes: number;
  /** false when an existing file was replaced. */
  created: boolean;
}

/** The `write` tool for one working folder: creates or replaces a file as a whole. */
export function createWriteTool(cwd: string, options: FileToolOptions = {}): AgentTool<typeof parameters, WriteDetails> {
  const files = options.files ?? localFiles;
  return {
    name: "write",
    label: "Write",
    description:
      "Creates a file or replaces its whole content. Missing parent folders are created. To change parts of an existing file, use edit.",
    parameters,
    async execute(_toolCallId, { path, content }, signal) {
      let absolutePath = path;
      const locate = async () => {
        await assertWorkingFolderOf(files, cwd);
        absolutePath = await expandPath(cwd, path, files);
        return absolutePath;
      };
      try {
        const task = async (realPath: string) => {
          signal.throwIfAborted();
          if (await isDirectory(files, realPath)) {
            throw new ToolError("is_directory", `Cannot write ${path}: it is a directory (EISDIR). Give the path of a file in it.`);
          }
          await files.mkdir(dirname(realPath));
          const { created } = await files.replace(realPath, content, signal);
          const bytes = Buffer.byteLength(content);
          const text = `${created ? "Created" : "Replaced"} ${path} (${formatSize(bytes)}).`;
          return { content: [{ type: "text" as const, text }], details: { path: realPath, bytes, created } };
        };
        return await inFileQueue(locate, task, files);
      } catch (error) {
        throw toFileError(error, "write", path, absolutePath);
      }
    },
  };
}

async function isDirectory(files: FileAccess, path: string): Promise<boolean> {
  return files.stat(path).then(
    ({ type }) => type === "directory",
    () => false,
  );
}
