import { dirname } from "node:path";
import { isMissing } from "@pikit/ai/files";
import type { FileAccess, FileKeeper } from "../tools/files/file-access.ts";
import { hashOf, maxImageBytes, type ObjectStore } from "./object-store.ts";
import { imageOf, readImage } from "./read-image.ts";
import type { FileChange, FileImage } from "./records.ts";

/** Keeps the present content of a file, and describes its planned change. @throws The errors of the file access, and of the store. */
export async function keepFile(
  { files, path, content, before: known }: Parameters<FileKeeper["keep"]>[0],
  store: ObjectStore,
): Promise<FileChange> {
  const isKnown = known !== undefined && known.length <= maxImageBytes;
  const before = isKnown ? await imageOf(known, (await files.lstat(path)).mode, store) : await readImage(files, path, store);
  const mode = before.kind === "file" ? before.mode : undefined;
  const after: FileImage = {
    kind: "file",
    hash: hashOf(content),
    size: Buffer.byteLength(content),
    ...(mode === undefined ? {} : { mode }),
  };
  const folder = before.kind === "none" ? await missingFolder(files, dirname(path)) : undefined;
  return { path, before, after, ...(folder === undefined ? {} : { folder }) };
}

/** The topmost folder of a path that does not exist; undefined if all do. */
async function missingFolder(files: FileAccess, folder: string): Promise<string | undefined> {
  let missing: string | undefined;
  for (let at = folder; ; at = dirname(at)) {
    const isThere = await files.lstat(at).then(
      () => true,
      (error) => !isMissing(error),
    );
    if (isThere || at === dirname(at)) return missing;
    missing = at;
  }
}
