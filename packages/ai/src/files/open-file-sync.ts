import { closeSync, constants, fstatSync, openSync, type Stats, statSync } from "node:fs";
import { assertRegular, FileError } from "./file-error.ts";

/**
 * - `read`: reads the content
 * - `append`: writes at the end of the file
 * - `record`: like `append`, but also creates the file and can read it
 * - `overwrite`: writes from the start, without truncating
 * - `create`: writes a new file, which must not exist
 */
export type FileUse = "read" | "append" | "record" | "overwrite" | "create";

export interface OpenFileOptions {
  /** Default: `read`. */
  use?: FileUse;
  /** Permissions of a new file. Default: 0o600. */
  mode?: number;
  /** Whether the path itself may be a symbolic link. Default: true. */
  followLinks?: boolean;
}

/**
 * Opens a file only if it is a regular file. Opening a pipe blocks until its other end is opened, which blocks the process or one of the
 * four threads for all file access; opening a device can have side effects, and reading one may never end. So the type is checked before
 * opening; the file is opened non-blocking and checked again, because it may have been replaced in between.
 *
 * @returns The file descriptor, and the stats of the file.
 * @throws {FileError} When the path is not a regular file. The system's error when the file cannot be opened.
 */
export function openFileSync(path: string, options: OpenFileOptions = {}): { file: number; stats: Stats } {
  if (options.use !== "create") {
    const before = lookAt(path);
    if (before) assertRegular(before, path);
  }
  const file = tryOpenSync(path, options);
  try {
    const stats = fstatSync(file);
    assertRegular(stats, path);
    return { file, stats };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // opening the file reports the error
  }
}

function tryOpenSync(path: string, options: OpenFileOptions): number {
  try {
    return openSync(path, flagsOf(options), options.mode ?? 0o600);
  } catch (error) {
    return refuse(error, path);
  }
}

/** Windows has no named pipes in folders, and lacks these flags. */
const { O_NONBLOCK = 0, O_NOCTTY = 0, O_NOFOLLOW = 0 } = constants as Partial<typeof constants>;

const flags: Record<FileUse, number> = {
  read: constants.O_RDONLY,
  append: constants.O_WRONLY | constants.O_APPEND,
  record: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT,
  overwrite: constants.O_WRONLY,
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
};

/** The flags for a use, including those that make opening non-blocking. */
export function flagsOf({ use = "read", followLinks = true }: OpenFileOptions): number {
  return flags[use] | O_NONBLOCK | O_NOCTTY | (followLinks ? 0 : O_NOFOLLOW);
}

/** Throws the error. `ENXIO` (a pipe without a reader, or a socket) becomes a `FileError`. */
export function refuse(error: unknown, path: string): never {
  if ((error as NodeJS.ErrnoException).code !== "ENXIO") throw error;
  throw new FileError("EFTYPE", path, "it is a pipe, a socket or a device, and a regular file is needed");
}
