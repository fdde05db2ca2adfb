import { closeSync, ftruncateSync, type Stats, writeFileSync } from "node:fs";
import { FileError, openFileSync } from "@pikit/ai/files/sync";

/** Maximum characters per write. A longer entry is still one write. */
const batchLength = 1024 * 1024;

/**
 * Appends all lines or none: if the disk is full, the partial write is removed, so that the lines can be written later.
 *
 * @param lines - Each with its LF.
 * @param expected - The file that must be at the path; a different file is not changed.
 * @returns The offset of each line in bytes, followed by the new size of the file.
 * @throws {FileError} When the path has a different file, or is not a regular file. The system's error.
 */
export function appendWhole(path: string, lines: Iterable<string>, expected: Pick<Stats, "dev" | "ino">): number[] {
  const { file, stats } = openFileSync(path, { use: "append", followLinks: false });
  try {
    if (stats.dev !== expected.dev || stats.ino !== expected.ino) {
      throw new FileError("ESTALE", path, "another file has replaced it");
    }
    try {
      return appendLines(file, stats.size, lines);
    } catch (error) {
      cutBack(file, stats.size);
      throw error;
    }
  } finally {
    closeSync(file);
  }
}

function appendLines(file: number, size: number, lines: Iterable<string>): number[] {
  const offsets = [size];
  let end = size;
  let batch = "";
  for (const line of lines) {
    end += Buffer.byteLength(line);
    offsets.push(end);
    if (batch.length > 0 && batch.length + line.length > batchLength) {
      writeFileSync(file, batch);
      batch = "";
    }
    batch += line;
  }
  if (batch.length > 0) writeFileSync(file, batch);
  return offsets;
}

function cutBack(file: number, size: number): void {
  try {
    ftruncateSync(file, size);
  } catch {
    // An append-only file. The next append finds the remaining part of the lines, because the size differs.
  }
}
