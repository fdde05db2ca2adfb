import { appendFileSync, closeSync, constants, fstatSync, ftruncateSync, openSync } from "node:fs";

/** Characters that are gathered for one write. An entry that is longer is still one write. */
const batchLength = 1024 * 1024;

/**
 * Appends all lines or none of them: what a full disk took of them is removed again, so that they can be written once there is space.
 *
 * @param lines - Each with its LF.
 * @returns Where each line begins, in bytes, and last where the file ends.
 * @throws The system's error.
 */
export function appendWhole(path: string, lines: Iterable<string>): number[] {
  const file = openSync(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    const { size } = fstatSync(file);
    try {
      return appendLines(file, size, lines);
    } catch (error) {
      cutBack(file, size);
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
      appendFileSync(file, batch);
      batch = "";
    }
    batch += line;
  }
  if (batch.length > 0) appendFileSync(file, batch);
  return offsets;
}

function cutBack(file: number, size: number): void {
  try {
    ftruncateSync(file, size);
  } catch {
    // No plain file. What stays of the lines is found by the next append, since the size is another.
  }
}
