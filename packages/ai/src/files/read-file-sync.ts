import { closeSync, readSync } from "node:fs";
import { tooLargeError } from "./file-error.ts";
import { openFileSync } from "./open-file-sync.ts";

/** What a file begins with. */
export interface FileStart {
  bytes: Buffer;
  /** Bytes of the whole file, as far as the system says so: those of `/proc` have none. */
  size: number;
  /** Whether there is more than `bytes`. */
  isCut: boolean;
}

/** Bytes that are read of a file that says to be empty, before there is more room. */
const firstRoom = 4096;

/**
 * Reads a regular file, but no more than `maxBytes` of it, whatever size it says to have and however it grows meanwhile.
 *
 * @throws {FileError} When it is no regular file. The system's error.
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
 * @throws {FileError} When it is no regular file, or larger. The system's error.
 */
export function readWholeSync(path: string, maxBytes: number): Buffer {
  return whole(readStartSync(path, maxBytes), path, maxBytes);
}

/** All bytes of a file, unless there are more. */
export function whole({ bytes, isCut }: FileStart, path: string, maxBytes: number): Buffer {
  if (isCut) throw tooLargeError(path, maxBytes);
  return bytes;
}

/** One byte more than the file has, to see its end, or than may be, to see that there is more. */
export function roomFor(size: number, maxBytes: number): Buffer {
  return Buffer.alloc(Math.min(maxBytes, Math.max(size, firstRoom)) + 1);
}

/** The buffer with more room. */
export function enlarge(buffer: Buffer, maxBytes: number): Buffer {
  return Buffer.concat([buffer], Math.min(2 * buffer.length, maxBytes + 1));
}

/** What was read, of which there may be one byte too many. */
export function toStart(buffer: Buffer, length: number, size: number, maxBytes: number): FileStart {
  const isCut = length > maxBytes;
  return { bytes: buffer.subarray(0, isCut ? maxBytes : length), size: Math.max(size, length), isCut };
}
