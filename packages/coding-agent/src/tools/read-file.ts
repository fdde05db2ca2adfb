import type { OpenFile } from "./file-access.ts";

/** Large reads are made in pieces, between which an abort is seen. */
const pieceBytes = 8 * 1024 * 1024;

/**
 * Reads all of a file, of which it need not know the size exactly.
 *
 * @param sizeHint - Bytes; what is beyond them is read too.
 * @throws The abort's reason, and what the access throws.
 */
export async function readWholeFile(file: OpenFile, sizeHint: number, signal: AbortSignal): Promise<Uint8Array> {
  // One more, so that the end is seen without growing.
  let bytes = new Uint8Array(sizeHint + 1);
  let length = 0;
  for (;;) {
    signal.throwIfAborted();
    const count = await file.read(bytes.subarray(length, length + pieceBytes), length);
    if (count === 0) return bytes.subarray(0, length);
    length += count;
    if (length === bytes.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(bytes);
      bytes = larger;
    }
  }
}
