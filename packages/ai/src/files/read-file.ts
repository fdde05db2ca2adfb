import { closeSync, readSync } from "node:fs";
import { tooLargeError } from "./file-error.ts";
import { openFile, openFileSync } from "./open-file.ts";

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

/** What is read at most of a file of each kind, in bytes. */
export const fileLimits = {
  /** Settings, keys, models, trusted folders. */
  configuration: 16 * megabyte,
  streamRule: 256 * kilobyte,
  promptTemplate: 256 * kilobyte,
  skill: 256 * kilobyte,
  contextFile: 64 * kilobyte,
  /** A `package.json`. */
  manifest: 4 * megabyte,
  extension: 64 * megabyte,
  /** The answers of a scripted model. */
  script: 64 * megabyte,
  recording: 256 * megabyte,
  /** What is given as `@file`. */
  argument: 64 * megabyte,
  /** An image for the model, before it is made smaller. */
  image: 64 * megabyte,
  /** A file that is edited. */
  edit: 64 * megabyte,
  /** Who holds the lock of a session. */
  lock: 4 * kilobyte,
} as const;

/** What a file begins with. */
export interface FileStart {
  bytes: Buffer;
  /** Bytes of the whole file, as far as the system says so: those of `/proc` have none. */
  size: number;
  /** Whether there is more than `bytes`. */
  isCut: boolean;
}

/** Bytes that are read of a file that says to be empty, before there is more room. */
const firstRoom = 4 * kilobyte;

/**
 * Reads a regular file, but no more than `maxBytes` of it, whatever size it says to have and however it grows meanwhile.
 *
 * @throws {FileError} When it is no regular file. The system's error.
 */
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

/** As `readStart`. */
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
 * Looks whether a regular file could be read as a whole, for those that read it by themselves.
 *
 * @param maxBytes - One of `fileLimits`.
 * @throws {FileError} When it is no regular file, or larger. The system's error.
 */
export async function assertReadable(path: string, maxBytes: number): Promise<void> {
  const { file, stats } = await openFile(path);
  await file.close();
  if (stats.size > maxBytes) throw tooLargeError(path, maxBytes);
}

/**
 * Reads all of a regular file.
 *
 * @param maxBytes - One of `fileLimits`.
 * @throws {FileError} When it is no regular file, or larger. The system's error.
 */
export async function readWhole(path: string, maxBytes: number): Promise<Buffer> {
  return whole(await readStart(path, maxBytes), path, maxBytes);
}

/** As `readWhole`. */
export function readWholeSync(path: string, maxBytes: number): Buffer {
  return whole(readStartSync(path, maxBytes), path, maxBytes);
}

function whole({ bytes, isCut }: FileStart, path: string, maxBytes: number): Buffer {
  if (isCut) throw tooLargeError(path, maxBytes);
  return bytes;
}

/** One byte more than the file has, to see its end, or than may be, to see that there is more. */
function roomFor(size: number, maxBytes: number): Buffer {
  return Buffer.alloc(Math.min(maxBytes, Math.max(size, firstRoom)) + 1);
}

function enlarge(buffer: Buffer, maxBytes: number): Buffer {
  return Buffer.concat([buffer], Math.min(2 * buffer.length, maxBytes + 1));
}

function toStart(buffer: Buffer, length: number, size: number, maxBytes: number): FileStart {
  const isCut = length > maxBytes;
  return { bytes: buffer.subarray(0, isCut ? maxBytes : length), size: Math.max(size, length), isCut };
}
