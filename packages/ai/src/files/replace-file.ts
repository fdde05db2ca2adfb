import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { access, constants, lstat, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { assertRegular } from "./file-error.ts";
import { followLinks } from "./follow-links.ts";
import { openFile } from "./open-file.ts";

/** Error codes of a folder that accepts no new file, or of a file that cannot be replaced, such as a mount point. */
const inPlaceCodes = new Set(["EACCES", "EPERM", "EROFS", "EBUSY", "EXDEV", "ENOTSUP"]);

/** The new content of a file; a function returns it in pieces. */
export type NewContent = string | Uint8Array | (() => AsyncIterable<string>);

export interface ReplaceOptions {
  /** An abort before the file is replaced keeps the old content. */
  signal?: AbortSignal;
  /** Permissions of a new file, before the umask. Default: 0o666, or 0o600 for a private file. */
  mode?: number;
  /** Whether only the owner may access the file afterwards. Default: an existing file keeps its permissions. */
  isPrivate?: boolean;
}

/**
 * Replaces a file atomically: writes the content to a temporary file in the same folder and renames it. Keeps mode and owner. A symbolic
 * link stays, and its target is replaced. A file that cannot be replaced, and a file with several hard links, which must stay one file,
 * are written in place. Only regular files are written.
 *
 * @param path - Absolute; its folder must exist.
 * @returns Whether the file is new.
 * @throws {FileError} When the path is not a regular file. The system's error, the abort's reason, and the errors of `content`.
 */
export async function replaceFile(
  path: string,
  content: NewContent,
  { signal, isPrivate = false, mode = isPrivate ? 0o600 : 0o666 }: ReplaceOptions = {},
): Promise<{ created: boolean }> {
  signal?.throwIfAborted();
  const target = await followLinks(path);
  const existing = await lstat(target).catch(ignoreMissing);
  if (existing) {
    assertRegular(existing, target);
    // A rename needs no write permission on the old file, but a read-only file must not change.
    await access(target, constants.W_OK);
  }
  if (!existing || existing.nlink === 1) {
    try {
      const kept = existing && { ...existing, mode: existing.mode & (isPrivate ? 0o600 : 0o7777) };
      await replaceByRename(target, content, { signal, mode, existing: kept });
      return { created: !existing };
    } catch (error) {
      if (signal?.aborted || !existing || !inPlaceCodes.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
  await overwrite(target, content, isPrivate);
  return { created: false };
}

type Attributes = Pick<Stats, "mode" | "uid" | "gid">;

async function replaceByRename(
  path: string,
  content: NewContent,
  { signal, mode, existing }: { signal: AbortSignal | undefined; mode: number; existing: Attributes | undefined },
): Promise<void> {
  const temporary = join(dirname(path), `.pi-${randomBytes(8).toString("hex")}.tmp`);
  const { file } = await openFile(temporary, { use: "create", mode: existing ? 0o600 : mode });
  try {
    try {
      await file.writeFile(piecesOf(content));
      if (existing) {
        const own = await file.stat();
        if (own.uid !== existing.uid || own.gid !== existing.gid) await file.chown(existing.uid, existing.gid);
        // After chown, which clears set-user-id. `open` cannot set the mode, because it applies the umask.
        await file.chmod(existing.mode);
      }
      // Without it, a power failure could leave an empty file under the name.
      await file.sync();
    } finally {
      await file.close();
    }
    signal?.throwIfAborted();
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

async function overwrite(path: string, content: NewContent, isPrivate: boolean): Promise<void> {
  const { file, stats } = await openFile(path, { use: "overwrite" });
  try {
    if (isPrivate) await file.chmod(stats.mode & 0o600);
    await file.truncate();
    await file.writeFile(piecesOf(content));
  } finally {
    await file.close();
  }
}

function piecesOf(content: NewContent): string | Uint8Array | AsyncIterable<string> {
  return typeof content === "function" ? content() : content;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
