import { reasonOf as fileReasonOf, readStart } from "@pikit/ai/files";

/** The beginning of a text file. */
export interface TextFile {
  text: string;
  /** Bytes of the whole file. */
  size: number;
  /** Whether `text` is only a part of the file; it then ends at the end of a line. */
  isCut: boolean;
}

/**
 * Reads a text file up to a limit.
 *
 * @param maxBytes - Maximum bytes to read.
 * @throws {FileError} When the path is not a regular file. The system's error.
 */
export async function readText(path: string, maxBytes: number): Promise<TextFile> {
  const { bytes, size, isCut } = await readStart(path, maxBytes);
  const kept = isCut ? bytes.subarray(0, lineEnd(bytes)) : bytes;
  return { text: kept.toString("utf8").replace(/^\uFEFF/, ""), size, isCut };
}

/** The end of the last complete line; if there is none, the end of the last complete character. */
function lineEnd(bytes: Buffer): number {
  const end = bytes.lastIndexOf(0x0a);
  if (end >= 0) return end + 1;
  let start = bytes.length - 1;
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return (bytes[start] ?? 0) < 0x80 ? bytes.length : start;
}

/** The reason of a failed reading, as the end of a sentence. */
export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EISDIR" || code === "EFTYPE") return "it is not a regular file";
  if (code === "EACCES" || code === "EPERM") return "you may not read it";
  return fileReasonOf(error);
}
