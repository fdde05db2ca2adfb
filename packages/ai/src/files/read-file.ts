import { tooLargeError } from "./file-error.ts";
import { openFile } from "./open-file.ts";
import { enlarge, type FileStart, roomFor, toStart, whole } from "./read-file-sync.ts";

/** Like `readStartSync`, asynchronous. */
export async function readStart(path: string, maxBytes: number): Promise<FileStart> {
  const { file, stats } = await openFile(path);
  try {
    let buffer = roomFor(stats.size, maxBytes);
    let length = 0;
    for (;;) {
      if (length === buffer.length && length <= maxBytes) buffer = enlarge(buffer, maxBytes);
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      length += bytesRead;
      if (bytesRead === 0 || length > maxBytes) return toStart(buffer, length, stats.size, maxBytes);
    }
  } finally {
    await file.close();
  }
}

/** Like `readWholeSync`, asynchronous. */
export async function readWhole(path: string, maxBytes: number): Promise<Buffer> {
  return whole(await readStart(path, maxBytes), path, maxBytes);
}

/**
 * Checks a file before other code reads it, such as Node's module loader.
 *
 * @param maxBytes - One of `fileLimits`.
 * @throws {FileError} When the path is not a regular file, or the file is larger. The system's error.
 */
export async function assertReadable(path: string, maxBytes: number): Promise<void> {
  const { file, stats } = await openFile(path);
  await file.close();
  if (stats.size > maxBytes) throw tooLargeError(path, maxBytes);
}
