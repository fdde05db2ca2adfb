import { closeSync, ftruncateSync, type Stats, writeFileSync } from "node:fs";
import { FileError, openFileSync } from "@pikit/ai/files/sync";

/** Characters that are gathered for one write. An entry that is longer is still one write. */
const batchLength = 1024 * 1024;

/**
 * Appends all lines or none of them: what a full disk took of them is removed again, so that they can be written once there is space.
 *
 * @param lines - Each with its LF.
 * @param expected - The file that must be at the path; another one that was put there is not touched.
 * @returns Where each line begins, in bytes, and last where the file ends.
 * @throws {FileError} When it is another file, or no regular one. The system's error.
 */
export function appendWhole(path: string, lines: Iterable<string>, expected: Pick<Stats, "dev" | "ino">): number[] {
  const { file, stats } = openFileSync(path, { use: "append", followLinks: false });
  try {
    if (stats.dev !== expected.dev || stats.ino !== expected.ino) {
      throw new FileError("ESTALE", path, "another file has taken its place");
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
    // A file that only grows. What stays of the lines is found by the next append, since the size is another.
  }
}
