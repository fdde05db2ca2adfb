import { stat } from "node:fs/promises";
import { ToolError } from "@pikit/agent";

/**
 * Rejects if the working folder is missing; otherwise the error of the command would name a missing file or program.
 *
 * @param isFolder - Must reject with the system's `code` if the path does not exist. Default: checks on this machine.
 * @throws {ToolError} `cwd_missing`
 */
export async function assertWorkingFolder(
  cwd: string,
  isFolder: (path: string) => Promise<boolean> = isLocalFolder,
): Promise<void> {
  const advice = "Restore the folder, or use a session that was started in another one.";
  const isThere = await isFolder(cwd).catch((cause: NodeJS.ErrnoException) => {
    throw new ToolError("cwd_missing", `Cannot use the working folder ${cwd} (${cause.code}). ${advice}`, { cause });
  });
  if (!isThere) throw new ToolError("cwd_missing", `The working folder ${cwd} is not a folder. ${advice}`);
}

async function isLocalFolder(path: string): Promise<boolean> {
  return (await stat(path)).isDirectory();
}
