import { ToolError } from "@pikit/agent";
import { assertWorkingFolder } from "../../exec/working-folder.ts";
import type { FileAccess, FileFacts } from "./file-access.ts";

/**
 * Returns the facts about a regular file. Devices and pipes are refused, because reading them may never end.
 *
 * @param action - The intended action, such as `read`; for the error message.
 * @param path - The path from the model; for the error message.
 * @throws {ToolError} `is_directory` or `not_a_file`; for a missing file, the error of the file access.
 */
export async function statRegularFile(files: FileAccess, absolutePath: string, action: string, path: string): Promise<FileFacts> {
  const facts = await files.stat(absolutePath);
  if (facts.type === "directory") {
    throw new ToolError("is_directory", `Cannot ${action} ${path}: it is a directory (EISDIR). List it with ls.`);
  }
  if (facts.type !== "file") {
    throw new ToolError("not_a_file", `Cannot ${action} ${path}: it is a device, pipe or socket. Only regular files can be used.`);
  }
  return facts;
}

/**
 * Rejects if the working folder is missing in the file system of the tools.
 *
 * @throws {ToolError} `cwd_missing`
 */
export function assertWorkingFolderOf(files: FileAccess, cwd: string): Promise<void> {
  return assertWorkingFolder(cwd, async (folder) => (await files.stat(folder)).type === "directory");
}
