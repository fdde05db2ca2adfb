import type { Stats } from "node:fs";

/** `EISDIR`: a folder. `EFTYPE`: a pipe, a socket or a device. `EFBIG`: larger than the limit. `ESTALE`: not the expected file. */
export type FileErrorCode = "EISDIR" | "EFTYPE" | "EFBIG" | "ESTALE";

/** The path exists, but is not a file that can be read or written. Has the fields of a system error. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: FileErrorCode;
  readonly syscall = "open";
  readonly path: string;
  /** The problem and the code, as the end of a sentence. */
  readonly reason: string;

  constructor(code: FileErrorCode, path: string, reason: string) {
    super(`${path}: ${reason} (${code})`);
    this.code = code;
    this.path = path;
    this.reason = `${reason} (${code})`;
  }
}

/** @throws {FileError} Unless `stats` are those of a regular file. */
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

/** The reason of a failed file access, as the end of a sentence: the reason of a `FileError`, or the system's error code. */
export function reasonOf(error: unknown): string {
  if (error instanceof FileError) return error.reason;
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

/** Whether an error means that the path does not exist. */
export function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === "ENOENT" || code === "ENOTDIR";
}
