import { isAbsolute, relative } from "node:path";
import { isToolError, ToolError } from "@pikit/agent";
import type { FileAccess } from "./file-access.ts";
import { suggestPaths } from "./suggest-paths.ts";

const reasons: Record<string, [code: string, reason: string, advice: string]> = {
  ENOENT: ["not_found", "there is no such file", "Check the spelling, or list the folder."],
  EACCES: ["permission_denied", "permission was denied", "Use another path, or ask the user to change the permissions."],
  EPERM: ["permission_denied", "the system does not permit it", "Use another path, or ask the user to change the permissions."],
  EROFS: ["permission_denied", "the file system is read-only", "Use a path on another file system."],
  EFTYPE: ["not_a_file", "it is a device, pipe or socket", "Only regular files can be used."],
  EISDIR: ["is_directory", "it is a directory", "Give the path of a file."],
  ENOTDIR: ["not_directory", "a part of the path is a file, not a directory", "Check the path."],
  EEXIST: ["not_directory", "a part of the path is a file, not a directory", "Check the path."],
  ENAMETOOLONG: ["invalid_path", "the name is too long", "Use a shorter name."],
  ELOOP: ["invalid_path", "its symbolic links form a loop", "Use another path."],
  EFBIG: ["too_large", "it is larger than it may be", "Work on parts of it with bash."],
  ENOSPC: ["disk_full", "the disk is full", "Free some space first."],
};

/**
 * Converts the error of a file operation to one for the model, with the path and the system's code. A `ToolError` and an abort are returned
 * unchanged.
 *
 * @param action - The failed action, such as `read`.
 * @param path - The path from the model.
 * @param absolutePath - The resolved path.
 */
export function toFileError(error: unknown, action: string, path: string, absolutePath: string): Error {
  if (isToolError(error) || !isSystemError(error)) return error instanceof Error ? error : new Error(String(error));
  const where = path === absolutePath ? path : `${path} (${absolutePath})`;
  const [code, reason, advice] = reasons[error.code] ?? ["io_error", "the system reported an error", "Try another path or way."];
  return new ToolError(code, `Cannot ${action} ${where}: ${reason} (${error.code}). ${advice}`, { cause: error });
}

/** The action of a tool on a file. */
export interface FileRequest {
  files: FileAccess;
  cwd: string;
  /** For example `read`. */
  action: string;
  /** The path from the model. */
  path: string;
  /** The resolved path. */
  absolutePath: string;
}

/** Like `toFileError`; for a missing file it also suggests existing paths with similar names. */
export async function explainFileError(error: unknown, { files, cwd, action, path, absolutePath }: FileRequest): Promise<Error> {
  const explained = toFileError(error, action, path, absolutePath);
  if (!isToolError(explained) || explained.code !== "not_found" || !isSystemError(error)) return explained;
  const suggestions = await suggestPaths(files, absolutePath);
  if (suggestions.length === 0) return explained;
  const shown = suggestions.map((found) => (isAbsolute(path) ? found : relative(cwd, found) || "."));
  return new ToolError("not_found", `${explained.message} Did you mean ${shown.join(", ")}?`, { cause: error });
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string" && "code" in error;
}
