import { readSync } from "node:fs";

/** Bytes that are read at a time at most, unless a line is longer. */
const chunkSize = 256 * 1024;

const lineFeed = 0x0a;

/** A line without its LF, and where it begins in the file. */
export interface FileLine {
  /** Undefined for a line that is longer than a string can be. */
  text: string | undefined;
  /** From 0, blank lines included. */
  index: number;
  /** Bytes from the start of the file. */
  offset: number;
  /** Its bytes, which are valid during the call that gets the line. */
  bytes(): Buffer;
}

export interface FileLines {
  /** Bytes read. */
  size: number;
  /** Whether the last line has no LF. */
  endsWithinLine: boolean;
}

/**
 * Reads an open file line by line, so that its size is limited by no string or buffer. One buffer serves for all, and lines that were read
 * together are decoded together: a session of many small entries takes a fifth longer otherwise.
 *
 * @throws The system's error, and what `onLine` throws.
 */
export function readFileLines(file: number, onLine: (line: FileLine) => void): FileLines {
  let buffer = Buffer.allocUnsafeSlow(chunkSize);
  /** Bytes in the buffer; the first one begins a line. */
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
    if (linesEnd <= filled - length) continue; // the rest of the line is yet to come
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
