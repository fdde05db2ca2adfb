import { closeSync, fchmodSync, fchownSync, fstatSync, lstatSync, renameSync, rmSync, type Stats } from "node:fs";
import { assertRegular } from "./file-error.ts";
import { openFileSync } from "./open-file-sync.ts";

/**
 * Like `replaceFile`, synchronous, for a single writer, and never in place: the content goes to `<path>.tmp`, which is then renamed.
 *
 * @param path - Absolute, with links resolved.
 * @param write - Writes the content to the file descriptor.
 * @returns The stats of the new file.
 * @throws {FileError} When the path is not a regular file, or is a link. The system's error, and the errors of `write`.
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
