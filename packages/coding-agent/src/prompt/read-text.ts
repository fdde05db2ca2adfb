import { reasonOf as fileReasonOf, readStart } from "@pikit/ai/files";

/** The beginning of a text file. */
export interface TextFile {
  text: string;
  /** Bytes of the whole file. */
  size: number;
  /** Whether `text` is not all of it; it ends at the end of a line then. */
  isCut: boolean;
}

/**
 * Reads a text file up to a limit.
 *
 * @param maxBytes - What is read at most.
 * @throws {FileError} When it is no regular file. The system's error.
 */
export async function readText(path: string, maxBytes: number): Promise<TextFile> {
  const { bytes, size, isCut } = await readStart(path, maxBytes);
  const kept = isCut ? bytes.subarray(0, lineEnd(bytes)) : bytes;
  return { text: kept.toString("utf8").replace(/^\uFEFF/, ""), size, isCut };
}

/** Where the last whole line ends; of one endless line, where its last whole character does. */
function lineEnd(bytes: Buffer): number {
  const end = bytes.lastIndexOf(0x0a);
  if (end >= 0) return end + 1;
  let start = bytes.length - 1;
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return (bytes[start] ?? 0) < 0x80 ? bytes.length : start;
}

/** What a failed reading is due to, in a few words. */
export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EISDIR" || code === "EFTYPE") return "it is not a regular file";
  if (code === "EACCES" || code === "EPERM") return "you may not read it";
  return fileReasonOf(error);
}
