import type { Stats } from "node:fs";

/** `EISDIR`: a folder. `EFTYPE`: a pipe, a socket or a device. `EFBIG`: longer than its limit. `ESTALE`: another file than was expected. */
export type FileErrorCode = "EISDIR" | "EFTYPE" | "EFBIG" | "ESTALE";

/** Something is there, and it is not what can be read or written. Has the fields of an error of the system. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: FileErrorCode;
  readonly syscall = "open";
  readonly path: string;
  /** What is wrong with it, with the code, as the end of a sentence. */
  readonly reason: string;

  constructor(code: FileErrorCode, path: string, reason: string) {
    super(`${path}: ${reason} (${code})`);
    this.code = code;
    this.path = path;
    this.reason = `${reason} (${code})`;
  }
}

/** @throws {FileError} Unless these are the facts about a regular file. */
export function assertRegular(stats: Stats, path: string): void {
  if (stats.isFile()) return;
  throw new FileError(stats.isDirectory() ? "EISDIR" : "EFTYPE", path, `it is ${kindOf(stats)}, and a regular file is needed`);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a pipe";
  if (stats.isSocket()) return "a socket";
  return stats.isSymbolicLink() ? "a link" : "a device";
}

export function tooLargeError(path: string, maxBytes: number): FileError {
  return new FileError("EFBIG", path, `it is larger than ${formatLimit(maxBytes)}`);
}

function formatLimit(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes / 1024} KB` : `${bytes / 1024 / 1024} MB`;
}

/** What a failed access to a file is due to, in a few words that can end a sentence: our own, or the system's code. */
export function reasonOf(error: unknown): string {
  if (error instanceof FileError) return error.reason;
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

/** Whether an error says that there is nothing at a path. */
export function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === "ENOENT" || code === "ENOTDIR";
}
