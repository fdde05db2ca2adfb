import { tooLargeError } from "@pikit/ai/files/sync";
import type { OpenFile } from "./file-access.ts";

/** Large files are read in pieces, so that an abort takes effect between them. */
const pieceBytes = 8 * 1024 * 1024;

/**
 * Reads a whole file, even if its exact size is unknown.
 *
 * @param size - The expected size in bytes. A longer file is also read, up to `maxBytes`.
 * @throws {FileError} `EFBIG`. Also the reason of the abort signal and the errors of the file access.
 */
export async function readWholeFile(
  file: OpenFile,
  { path, size, maxBytes, signal }: { path: string; size: number; maxBytes: number; signal: AbortSignal },
): Promise<Uint8Array> {
  // One more byte, so that the end of the file is detected without a larger buffer.
  let bytes = new Uint8Array(Math.min(size, maxBytes) + 1);
  let length = 0;
  for (;;) {
    signal.throwIfAborted();
    const count = await file.read(bytes.subarray(length, length + pieceBytes), length);
    if (count === 0) return bytes.subarray(0, length);
    length += count;
    if (length > maxBytes) throw tooLargeError(path, maxBytes);
    if (length === bytes.length) {
      const larger = new Uint8Array(Math.min(2 * length, maxBytes + 1));
      larger.set(bytes);
      bytes = larger;
    }
  }
}
