import { readSync } from "node:fs";

/** Maximum bytes per read, unless a line is longer. */
const chunkSize = 256 * 1024;

const lineFeed = 0x0a;

/** A line without its LF, and its place in the file. */
export interface FileLine {
  /** Undefined for a line that exceeds the maximum length of a string. */
  text: string | undefined;
  /** Counted from 0, including blank lines. */
  index: number;
  /** Bytes from the start of the file. */
  offset: number;
  /** The bytes of the line, valid only during the call of `onLine`. */
  bytes(): Buffer;
}

export interface FileLines {
  /** Bytes read. */
  size: number;
  /** Whether the last line has no LF. */
  endsWithinLine: boolean;
}

/**
 * Reads an open file line by line, so its size is not limited by the maximum length of a string or buffer. It reuses one buffer and decodes
 * all lines of a read at once: otherwise a session of many small entries takes a fifth longer.
 *
 * @throws The system's error, and the errors of `onLine`.
 */
export function readFileLines(file: number, onLine: (line: FileLine) => void): FileLines {
  let buffer = Buffer.allocUnsafeSlow(chunkSize);
  /** Bytes in the buffer, which starts at the start of a line. */
  let filled = 0;
  let index = 0;
  let size = 0;
  const tellLines = (linesEnd: number) => {
    const offset = size - filled;
    const text = decode(buffer, 0, linesEnd);
    const isPlain = text?.length === linesEnd; // every character is a byte
    let start = 0;
    let textStart = 0;
    while (start < linesEnd) {
      const textEnd = text?.indexOf("\n", textStart) ?? -1;
      const end = isPlain ? textEnd : buffer.indexOf(lineFeed, start);
      const from = start;
      const line = text === undefined ? decode(buffer, from, end) : text.slice(textStart, textEnd);
      onLine({ text: line, index, offset: offset + from, bytes: () => buffer.subarray(from, end) });
      index += 1;
      start = end + 1;
      textStart = textEnd + 1;
    }
  };
  for (;;) {
    if (filled === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
    const length = readSync(file, buffer, filled, buffer.length - filled, size);
    if (length === 0) break;
    size += length;
    filled += length;
    const linesEnd = buffer.lastIndexOf(lineFeed, filled - 1) + 1;
    if (linesEnd <= filled - length) continue; // the line is not complete yet
    tellLines(linesEnd);
    buffer.copyWithin(0, linesEnd, filled);
    filled -= linesEnd;
  }
  if (filled > 0) {
    const end = filled;
    onLine({ text: decode(buffer, 0, end), index, offset: size - end, bytes: () => buffer.subarray(0, end) });
  }
  return { size, endsWithinLine: filled > 0 };
}

function decode(buffer: Buffer, start: number, end: number): string | undefined {
  try {
    return buffer.toString("utf8", start, end);
  } catch {
    return undefined;
  }
}
