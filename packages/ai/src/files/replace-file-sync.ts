import { closeSync, fchmodSync, fchownSync, fstatSync, lstatSync, renameSync, rmSync, type Stats } from "node:fs";
import { assertRegular } from "./file-error.ts";
import { openFileSync } from "./open-file-sync.ts";

/**
 * As `replaceFile`, for one writer at a time, and never in place: a file beside it, `<path>.tmp`, gets the content and takes its name.
 *
 * @param path - Absolute, with links followed.
 * @param write - Writes to the descriptor.
 * @returns The facts about the new file.
 * @throws {FileError} When what has the name is no regular file, or a link. The system's error; what `write` throws.
 */
export function replaceFileSync(path: string, write: (file: number) => void): Stats {
  const temporary = `${path}.tmp`;
  const existing = lstatSync(path, { throwIfNoEntry: false });
  if (existing) assertRegular(existing, path);
  rmSync(temporary, { force: true });
  const { file } = openFileSync(temporary, { use: "create" });
  try {
    if (existing) keepAttributes(file, existing);
    write(file);
    const stats = fstatSync(file);
    renameSync(temporary, path);
    return stats;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function keepAttributes(file: number, { mode, uid, gid }: Stats): void {
  const own = fstatSync(file);
  if (own.uid !== uid || own.gid !== gid) fchownSync(file, uid, gid);
  fchmodSync(file, mode & 0o777);
}
