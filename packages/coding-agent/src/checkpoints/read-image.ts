import { dirname } from "node:path";
import { isMissing } from "@pikit/ai/files";
import type { FileAccess, FileFacts } from "../tools/files/file-access.ts";
import { readWholeFile } from "../tools/files/read-whole-file.ts";
import { hashOf, maxImageBytes, type ObjectStore } from "./object-store.ts";
import type { FileImage, Image } from "./records.ts";

/** Reading for an undo is not aborted: a half-read image is of no use. */
const noAbort = new AbortController().signal;

/**
 * Reads what is at a path. Links are not followed, and below a link there is nothing: the path would be that of another file.
 *
 * @param store - Stores the content too. Default: only its hash is returned.
 * @throws The errors of the file access, and of the store.
 */
export async function readImage(files: FileAccess, path: string, store?: ObjectStore): Promise<Image> {
  const facts = await files.lstat(path).catch(ignoreAbsent);
  if (!facts || !(await isReal(files, dirname(path)))) return { kind: "none" };
  if (facts.type === "link") return { kind: "link", target: await files.readlink(path) };
  if (facts.type !== "file") return { kind: facts.type === "directory" ? "folder" : "other" };
  // Files of an editor may have another size than those on disk.
  const { size } = await files.stat(path);
  if (size > maxImageBytes) return largeImage(facts);
  const content = await readContent(files, path, size);
  return content ? imageOf(content, facts.mode, store) : largeImage(facts);
}

/** Whether no segment of a path is a link. */
export async function isReal(files: FileAccess, folder: string): Promise<boolean> {
  return (await files.realpath(folder)) === folder;
}

/** The image of a content that was read. */
export async function imageOf(content: Uint8Array, mode: number | undefined, store?: ObjectStore): Promise<FileImage> {
  const hash = store ? await store.put(content) : hashOf(content);
  return { kind: "file", hash, size: content.length, ...(mode === undefined ? {} : { mode }) };
}

/** The image of a file whose content is not read: the same size and time count as the same content. */
function largeImage({ size, modifiedMs, mode }: FileFacts): FileImage {
  return { kind: "file", hash: `stat:${size}:${modifiedMs}`, size, ...(mode === undefined ? {} : { mode }), isKept: false };
}

/** Undefined if the file has grown above the limit. */
async function readContent(files: FileAccess, path: string, size: number): Promise<Uint8Array | undefined> {
  const file = await files.open(path);
  try {
    return await readWholeFile(file, { path, size, maxBytes: maxImageBytes, signal: noAbort });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EFBIG") return undefined;
    throw error;
  } finally {
    await file.close();
  }
}

/** Whether an error means that there is nothing at a path: also below a link that leads to itself. */
export function isAbsent(error: unknown): boolean {
  return isMissing(error) || (error as NodeJS.ErrnoException).code === "ELOOP";
}

function ignoreAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error;
}
