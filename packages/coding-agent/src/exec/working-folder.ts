import { stat } from "node:fs/promises";
import { ToolError } from "@pikit/agent";

/**
 * Rejects when the working folder is gone, which would otherwise look like a missing file or program.
 *
 * @throws {ToolError} `cwd_missing`
 */
export async function assertWorkingFolder(cwd: string): Promise<void> {
  const advice = "Restore the folder, or go on in a session that was started in another one.";
  const stats = await stat(cwd).catch((cause: NodeJS.ErrnoException) => {
    throw new ToolError("cwd_missing", `Cannot use the working folder ${cwd} (${cause.code}). ${advice}`, { cause });
  });
  if (!stats.isDirectory()) throw new ToolError("cwd_missing", `The working folder ${cwd} is not a folder. ${advice}`);
}
