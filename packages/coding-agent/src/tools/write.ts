import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type AgentTool, ToolError } from "@pikit/agent";
import { type Static, Type } from "@sinclair/typebox";
import { assertWorkingFolder } from "../exec/working-folder.ts";
import { toFileError } from "./file-errors.ts";
import { inFileQueue } from "./file-queue.ts";
import { expandPath } from "./paths.ts";
import { replaceFile } from "./replace-file.ts";
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
export function createWriteTool(cwd: string): AgentTool<typeof parameters, WriteDetails> {
  return {
    name: "write",
    label: "Write",
    description:
      "Creates a file or replaces its whole content. Missing parent folders are created. To change parts of an existing file, use edit.",
    parameters,
    async execute(_toolCallId, { path, content }, signal) {
      let absolutePath = path;
      const locate = async () => {
        await assertWorkingFolder(cwd);
        absolutePath = await expandPath(cwd, path);
        return absolutePath;
      };
      try {
        return await inFileQueue(locate, async (realPath) => {
          signal.throwIfAborted();
          if (await isDirectory(realPath)) {
            throw new ToolError("is_directory", `Cannot write ${path}: it is a directory (EISDIR). Give the path of a file in it.`);
          }
          await mkdir(dirname(realPath), { recursive: true });
          const { created } = await replaceFile(realPath, content, signal);
          const bytes = Buffer.byteLength(content);
          const text = `${created ? "Created" : "Replaced"} ${path} (${formatSize(bytes)}).`;
          return { content: [{ type: "text", text }], details: { path: realPath, bytes, created } };
        });
      } catch (error) {
        throw toFileError(error, "write", path, absolutePath);
      }
    },
  };
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
