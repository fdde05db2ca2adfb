import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { access, constants, lstat, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { assertRegular } from "./file-error.ts";
import { followLinks } from "./follow-links.ts";
import { openFile } from "./open-file.ts";

/** Codes of a folder that takes no new file, or of a file that cannot be replaced, such as one that is mounted by itself. */
const inPlaceCodes = new Set(["EACCES", "EPERM", "EROFS", "EBUSY", "EXDEV", "ENOTSUP"]);

/** What a file is to hold; a function makes it in pieces. */
export type NewContent = string | Uint8Array | (() => AsyncIterable<string>);

export interface ReplaceOptions {
  /** Looked at until the new content takes its place; an abort leaves the old. */
  signal?: AbortSignal;
  /** Permissions of a file that is new. Default: 0o666, less the umask. */
  mode?: number;
  /** Whether nobody but its owner may read the file from now on. Default: one that is there keeps its permissions. */
  isPrivate?: boolean;
}

/**
 * Writes a whole file so that, whatever happens, it has either its old or its new content: into a file beside it, which then takes its
 * name. Mode and owner are kept; a link stays, and the file that it leads to is written. Where that cannot be done, and for a file with
 * several hard links, which must stay one file, it is written in place. What is no regular file is neither replaced nor written to.
 *
 * @param path - Absolute; its folder exists.
 * @returns Whether the file is new.
 * @throws {FileError} When something else has the name. The system's error, with its `code`; the abort's reason; what `content` throws.
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
    // Taking a name needs no permission on the file that had it; a file that says read-only must stay what it is.
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
        // After chown, which clears set-user-id; and not left to open, from whose mode the umask takes away.
        await file.chmod(existing.mode);
      }
      // Else a power failure could leave the new name on an empty file.
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
