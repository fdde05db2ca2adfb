import { closeSync, readSync } from "node:fs";
import { tooLargeError } from "./file-error.ts";
import { openFileSync } from "./open-file-sync.ts";

/** The beginning of a file. */
export interface FileStart {
  bytes: Buffer;
  /** Bytes of the whole file, as far as the system reports them: files of `/proc` have the size 0. */
  size: number;
  /** Whether the file has more than `bytes`. */
  isCut: boolean;
}

/** Minimum size of the first buffer, because files of `/proc` report the size 0. */
const firstRoom = 4096;

/**
 * Reads at most `maxBytes` of a regular file, even if its reported size is wrong or it grows meanwhile.
 *
 * @throws {FileError} When the path is not a regular file. The system's error.
 */
export function readStartSync(path: string, maxBytes: number): FileStart {
  const { file, stats } = openFileSync(path);
  try {
    let buffer = roomFor(stats.size, maxBytes);
    let length = 0;
    for (;;) {
      if (length === buffer.length && length <= maxBytes) buffer = enlarge(buffer, maxBytes);
      const bytesRead = readSync(file, buffer, length, buffer.length - length, length);
      length += bytesRead;
      if (bytesRead === 0 || length > maxBytes) return toStart(buffer, length, stats.size, maxBytes);
    }
  } finally {
    closeSync(file);
  }
}

/**
 * Reads all of a regular file.
 *
 * @param maxBytes - One of `fileLimits`.
 * @throws {FileError} When the path is not a regular file, or the file is larger. The system's error.
 */
export function readWholeSync(path: string, maxBytes: number): Buffer {
  return whole(readStartSync(path, maxBytes), path, maxBytes);
}

/** @throws {FileError} When the file has more bytes than were read. */
export function whole({ bytes, isCut }: FileStart, path: string, maxBytes: number): Buffer {
  if (isCut) throw tooLargeError(path, maxBytes);
  return bytes;
}

/** Allocates one byte more than the file's size, to detect its end, or than the limit, to detect a larger file. */
export function roomFor(size: number, maxBytes: number): Buffer {
  return Buffer.alloc(Math.min(maxBytes, Math.max(size, firstRoom)) + 1);
}

/** Doubles a buffer, up to one byte more than the limit. */
export function enlarge(buffer: Buffer, maxBytes: number): Buffer {
  return Buffer.concat([buffer], Math.min(2 * buffer.length, maxBytes + 1));
}

/** @param length - Bytes that were read; at most one more than `maxBytes`. */
export function toStart(buffer: Buffer, length: number, size: number, maxBytes: number): FileStart {
  const isCut = length > maxBytes;
  return { bytes: buffer.subarray(0, isCut ? maxBytes : length), size: Math.max(size, length), isCut };
}
