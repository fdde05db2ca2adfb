import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { access, constants, open, rename, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Codes of a folder that takes no new file, or of a file that cannot be replaced, such as one that is mounted by itself. */
const inPlaceCodes = new Set(["EACCES", "EPERM", "EROFS", "EBUSY", "EXDEV", "ENOTSUP"]);

/**
 * Writes a whole file so that, whatever happens, it has either its old or its new content: into a file beside it, which then takes
 * its name. Mode and owner are kept. Where that cannot be done, and for a file with several hard links, which must stay one file, it
 * is written in place.
 *
 * @param realPath - Absolute, with links followed; the folder exists.
 * @param signal - Looked at until the new content takes its place; an abort leaves the old.
 * @returns Whether the file is new.
 * @throws The system's error, with its `code`; the abort's reason.
 */
export async function replaceFile(
  realPath: string,
  content: string | Uint8Array,
  signal: AbortSignal,
): Promise<{ created: boolean }> {
  signal.throwIfAborted();
  const existing = await stat(realPath).catch(ignoreMissing);
  // Taking a name needs no permission on the file that had it; a file that says read-only must stay what it is.
  if (existing) await access(realPath, constants.W_OK);
  if (!existing || (existing.isFile() && existing.nlink === 1)) {
    try {
      await replaceByRename(realPath, content, existing, signal);
      return { created: !existing };
    } catch (error) {
      if (signal.aborted || !existing || !inPlaceCodes.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
  await writeFile(realPath, content);
  return { created: false };
}

async function replaceByRename(
  realPath: string,
  content: string | Uint8Array,
  existing: Stats | undefined,
  signal: AbortSignal,
): Promise<void> {
  const temporary = join(dirname(realPath), `.pi-${randomBytes(8).toString("hex")}.tmp`);
  const file = await open(temporary, "wx", existing ? existing.mode & 0o777 : 0o666);
  try {
    try {
      await file.writeFile(content);
      if (existing) {
        const own = await file.stat();
        if (own.uid !== existing.uid || own.gid !== existing.gid) await file.chown(existing.uid, existing.gid);
        // After chown, which clears set-user-id; and not left to open, from whose mode the umask takes away.
        await file.chmod(existing.mode & 0o7777);
      }
      // Else a power failure could leave the new name on an empty file.
      await file.sync();
    } finally {
      await file.close();
    }
    signal.throwIfAborted();
    await rename(temporary, realPath);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
