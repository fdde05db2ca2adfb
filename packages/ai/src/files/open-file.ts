import type { Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { assertRegular } from "./file-error.ts";
import { flagsOf, type OpenFileOptions, refuse } from "./open-file-sync.ts";

/** Like `openFileSync`, asynchronous. */
export async function openFile(path: string, options: OpenFileOptions = {}): Promise<{ file: FileHandle; stats: Stats }> {
  if (options.use !== "create") {
    const before = await stat(path).catch(() => undefined); // opening the file reports the error
    if (before) assertRegular(before, path);
  }
  const file = await open(path, flagsOf(options), options.mode ?? 0o600).catch((error) => refuse(error, path));
  try {
    const stats = await file.stat();
    assertRegular(stats, path);
    return { file, stats };
  } catch (error) {
    await file.close();
    throw error;
  }
}
