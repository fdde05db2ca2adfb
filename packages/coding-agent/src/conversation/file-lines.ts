import { readSync } from "node:fs";

/** Bytes that are read at a time. */
const chunkSize = 256 * 1024;

const lineFeed = 0x0a;

export interface FileLines {
  /** Bytes read. */
  size: number;
  /** Whether the last line has no LF. */
  endsWithinLine: boolean;
}

/**
 * Reads an open file line by line, so that its size is limited by no string or buffer.
 *
 * @param onLine - Called with each line without its LF, blank ones included, and its number from 0. The bytes are valid during the call.
 * @throws The system's error, and what `onLine` throws.
 */
export function readFileLines(file: number, onLine: (bytes: Buffer, index: number) => void): FileLines {
  const chunk = Buffer.allocUnsafeSlow(chunkSize);
  let held: Buffer[] = [];
  let index = 0;
  let size = 0;
  const finishLine = (rest: Buffer) => {
    const bytes = held.length === 0 ? rest : Buffer.concat([...held, rest]);
    held = [];
    onLine(bytes, index);
    index += 1;
  };
  for (;;) {
    const length = readSync(file, chunk, 0, chunkSize, size);
    if (length === 0) break;
    size += length;
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(lineFeed, start);
      if (end < 0 || end >= length) break;
      finishLine(chunk.subarray(start, end));
      start = end + 1;
    }
    // A copy, since the chunk is read into again.
    if (start < length) held.push(Buffer.from(chunk.subarray(start, length)));
  }
  const endsWithinLine = held.length > 0;
  if (endsWithinLine) finishLine(Buffer.alloc(0));
  return { size, endsWithinLine };
}
