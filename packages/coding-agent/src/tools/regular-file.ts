import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { ToolError } from "@pikit/agent";

/**
 * The facts about a file that has content to read. Devices and pipes are refused, since reading them may never end.
 *
 * @param action - What is about to be done, such as `read`; for the error text.
 * @param path - As the model wrote it; for the error text.
 * @throws {ToolError} `is_directory` or `not_a_file`; the system's error when there is nothing.
 */
export async function statRegularFile(absolutePath: string, action: string, path: string): Promise<Stats> {
  const stats = await stat(absolutePath);
  if (stats.isDirectory()) {
    throw new ToolError("is_directory", `Cannot ${action} ${path}: it is a directory (EISDIR). List it with bash: ls -la.`);
  }
  if (!stats.isFile()) {
    throw new ToolError("not_a_file", `Cannot ${action} ${path}: it is a device, pipe or socket. Only regular files can be used.`);
  }
  return stats;
}
