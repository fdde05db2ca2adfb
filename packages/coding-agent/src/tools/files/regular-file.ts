import { ToolError } from "@pikit/agent";
import { assertWorkingFolder } from "../../exec/working-folder.ts";
import type { FileAccess, FileFacts } from "./file-access.ts";

/**
 * The facts about a file that has content to read. Devices and pipes are refused, since reading them may never end.
 *
 * @param action - What is about to be done, such as `read`; for the error text.
 * @param path - As the model wrote it; for the error text.
 * @throws {ToolError} `is_directory` or `not_a_file`; the error of the access when there is nothing.
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
 * Rejects when the working folder is gone from where the tools look for files.
 *
 * @throws {ToolError} `cwd_missing`
 */
export function assertWorkingFolderOf(files: FileAccess, cwd: string): Promise<void> {
  return assertWorkingFolder(cwd, async (folder) => (await files.stat(folder)).type === "directory");
}
