import { closeSync, constants, fstatSync, openSync, type Stats, statSync } from "node:fs";
import { assertRegular, FileError } from "./file-error.ts";

/**
 * - `read`: its content
 * - `append`: writes go to its end; `record`: the same, it is made where there is none, and may be read too
 * - `overwrite`: its content, from the start; none is removed by opening it
 * - `create`: a file that is not there yet
 */
export type FileUse = "read" | "append" | "record" | "overwrite" | "create";

export interface OpenFileOptions {
  /** Default: `read`. */
  use?: FileUse;
  /** Permissions of a file that is made. Default: 0o600. */
  mode?: number;
  /** Whether the path itself may be a link. Default: true. */
  followLinks?: boolean;
}

/**
 * Opens a regular file, and nothing else. To open a pipe waits until somebody opens its other end, which holds one of the four threads that
 * all files share, or the whole process; to open a device may do something, and to read it may never end. So what is no file is not touched,
 * and as it may be put in the file's place at the last moment, opening never waits and what was opened is looked at again.
 *
 * @returns Its descriptor, and the facts about it.
 * @throws {FileError} When it is no regular file. The system's error when it cannot be opened.
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
    return undefined; // to open it says why
  }
}

function tryOpenSync(path: string, options: OpenFileOptions): number {
  try {
    return openSync(path, flagsOf(options), options.mode ?? 0o600);
  } catch (error) {
    return refuse(error, path);
  }
}

/** Windows has neither pipes with names in folders nor these flags. */
const { O_NONBLOCK = 0, O_NOCTTY = 0, O_NOFOLLOW = 0 } = constants as Partial<typeof constants>;

const flags: Record<FileUse, number> = {
  read: constants.O_RDONLY,
  append: constants.O_WRONLY | constants.O_APPEND,
  record: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT,
  overwrite: constants.O_WRONLY,
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
};

/** The flags of a use, with those that keep the system from waiting. */
export function flagsOf({ use = "read", followLinks = true }: OpenFileOptions): number {
  return flags[use] | O_NONBLOCK | O_NOCTTY | (followLinks ? 0 : O_NOFOLLOW);
}

/** Throws the error, in words where it is that of a pipe that nobody reads, or of a socket: `ENXIO`. */
export function refuse(error: unknown, path: string): never {
  if ((error as NodeJS.ErrnoException).code !== "ENXIO") throw error;
  throw new FileError("EFTYPE", path, "it is a pipe, a socket or a device, and a regular file is needed");
}
