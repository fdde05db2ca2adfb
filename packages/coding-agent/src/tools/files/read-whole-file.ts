import { tooLargeError } from "@pikit/ai/files/sync";
import type { OpenFile } from "./file-access.ts";

/** Large reads are made in pieces, between which an abort is seen. */
const pieceBytes = 8 * 1024 * 1024;

/**
 * Reads all of a file, of which it need not know the size exactly.
 *
 * @param size - Bytes, as far as they are known; what is beyond them is read too, up to `maxBytes`.
 * @throws {FileError} `EFBIG`. The abort's reason, and what the access throws.
 */
export async function readWholeFile(
  file: OpenFile,
  { path, size, maxBytes, signal }: { path: string; size: number; maxBytes: number; signal: AbortSignal },
): Promise<Uint8Array> {
  // One more, so that the end is seen without growing.
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
