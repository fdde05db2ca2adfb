import { dirname } from "node:path";
import { type AgentToolResult, ToolError } from "@pikit/agent";
import type { FileAccess, FileChangeCall } from "../files/file-access.ts";
import { toFileError } from "../files/file-errors.ts";
import { inFileQueue } from "../files/file-queue.ts";
import { replaceKept } from "../files/keep.ts";
import { localFiles } from "../files/local-files.ts";
import { expandPath } from "../files/paths.ts";
import { assertWorkingFolderOf } from "../files/regular-file.ts";
import { formatSize } from "../output/truncate.ts";
import type { WriteParameters } from "./parameters.ts";

export interface WriteDetails {
  /** Absolute, with links resolved. */
  path: string;
  /** UTF-8 bytes written. */
  bytes: number;
  /** false if an existing file was replaced. */
  created: boolean;
}

/** Executes one call of `write`. */
export async function runWrite(
  { path, content }: WriteParameters,
  { toolCallId, cwd, signal, files = localFiles, keeper }: FileChangeCall,
): Promise<AgentToolResult<WriteDetails>> {
  let absolutePath = path;
  const locate = async () => {
    await assertWorkingFolderOf(files, cwd);
    absolutePath = await expandPath(cwd, path, files);
    return absolutePath;
  };
  try {
    const task = async (realPath: string) => {
      signal.throwIfAborted();
      await assertWritable(files, realPath, path);
      const { created } = await replaceKept({ keeper, toolCallId, files, path: realPath, content }, async () => {
        await files.mkdir(dirname(realPath));
        return files.replace(realPath, content, signal);
      });
      const bytes = Buffer.byteLength(content);
      const text = `${created ? "Created" : "Replaced"} ${path} (${formatSize(bytes)}).`;
      return { content: [{ type: "text" as const, text }], details: { path: realPath, bytes, created } };
    };
    return await inFileQueue(locate, task, files);
  } catch (error) {
    throw toFileError(error, "write", path, absolutePath);
  }
}

/** Refuses paths that are not regular files: a write to a pipe may never end, and a write to a device may have any effect. */
async function assertWritable(files: FileAccess, realPath: string, path: string): Promise<void> {
  const facts = await files.stat(realPath).catch(() => undefined); // missing, or the write reports the error
  if (facts?.type === "directory") {
    throw new ToolError("is_directory", `Cannot write ${path}: it is a directory (EISDIR). Give the path of a file in it.`);
  }
  if (facts?.type === "other") {
    throw new ToolError("not_a_file", `Cannot write ${path}: it is a device, pipe or socket. Use bash to write to it.`);
  }
}
