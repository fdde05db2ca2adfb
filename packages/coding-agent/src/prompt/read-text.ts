import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** The beginning of a text file. */
export interface TextFile {
  text: string;
  /** Bytes of the whole file. */
  size: number;
  /** Whether `text` is not all of it; it ends at the end of a line then. */
  isCut: boolean;
}

/**
 * Reads a text file up to a limit.
 *
 * @param maxBytes - What is read at most.
 * @throws {NodeJS.ErrnoException} What the system says; `EISDIR` or `EINVAL` for what is not a file, such as a pipe.
 */
export async function readText(path: string, maxBytes: number): Promise<TextFile> {
  // Without waiting: a pipe that nobody writes to would never open.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile())
      throw Object.assign(new Error(`${path} is not a file`), { code: stats.isDirectory() ? "EISDIR" : "EINVAL" });
    // One byte more than may be, to see whether there are more; sizes as in /proc tell nothing.
    const buffer = Buffer.alloc(Math.min(maxBytes, Math.max(stats.size, 4096)) + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      ({ bytesRead: read } = await file.read(buffer, length, buffer.length - length, length));
    }
    const isCut = length > maxBytes;
    const bytes = buffer.subarray(0, isCut ? lineEnd(buffer.subarray(0, maxBytes)) : length);
    return { text: bytes.toString("utf8").replace(/^\uFEFF/, ""), size: Math.max(stats.size, length), isCut };
  } finally {
    await file.close();
  }
}

/** Where the last whole line ends; of one endless line, where its last whole character does. */
function lineEnd(bytes: Buffer): number {
  const end = bytes.lastIndexOf(0x0a);
  if (end >= 0) return end + 1;
  let start = bytes.length - 1;
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return (bytes[start] ?? 0) < 0x80 ? bytes.length : start;
}

/** What a failed reading is due to, in a few words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EISDIR" || code === "EINVAL") return "it is not a regular file";
  if (code === "EACCES" || code === "EPERM") return "you may not read it";
  return code ?? message;
}

/** Whether an error says that there is nothing. */
export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}
