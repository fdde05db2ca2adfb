import { closeSync, fstatSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { isMissing, makeFolderSync, openFileSync, readWhole, replaceFileSync } from "@pikit/ai/files";
import type { JournalRecord } from "./records.ts";

/** Maximum bytes of a journal. It is pruned long before. */
const maxJournalBytes = 256 * 1024 * 1024;
const lineFeed = 10;

/**
 * The journal of a session: JSON lines that are only appended. A line is one write, so a process that is killed leaves at most one incomplete
 * line, which is skipped. Its writer is the holder of the session's lock.
 */
export class Journal {
  readonly path: string;

  /** The size in bytes after the last append; 0 before. */
  #bytes = 0;

  constructor(path: string) {
    this.path = path;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Replaces all records atomically. @throws The system's error. */
  replace(records: readonly JournalRecord[]): void {
    makeFolderSync(dirname(this.path), 0o700);
    replaceFileSync(this.path, (file) => {
      for (const record of records) writeAll(file, Buffer.from(`${JSON.stringify(record)}\n`));
    });
  }

  /** Appends a record. It survives the end of the process when this returns. @throws The system's error. */
  append(record: JournalRecord): void {
    const file = this.#open();
    try {
      const start = endsWithinLine(file) ? "\n" : "";
      const line = Buffer.from(`${start}${JSON.stringify(record)}\n`);
      writeAll(file, line);
      this.#bytes = fstatSync(file).size;
    } finally {
      closeSync(file);
    }
  }

  /** Reads all records. Lines that are not records are skipped. @throws The system's error, unless the file is missing. */
  async read(): Promise<JournalRecord[]> {
    let bytes: Buffer;
    try {
      bytes = await readWhole(this.path, maxJournalBytes);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
    const records: JournalRecord[] = [];
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(lineFeed, start);
      const record = parseRecord(bytes.toString("utf8", start, end < 0 ? bytes.length : end));
      if (record) records.push(record);
      start = end < 0 ? bytes.length : end + 1;
    }
    return records;
  }

  #open(): number {
    try {
      return openFileSync(this.path, { use: "record" }).file;
    } catch (error) {
      if (!isMissing(error)) throw error;
      makeFolderSync(dirname(this.path), 0o700);
      return openFileSync(this.path, { use: "record" }).file;
    }
  }
}

/** Writes all bytes to a file descriptor. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

function parseRecord(line: string): JournalRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "type" in value && "id" in value ? (value as JournalRecord) : undefined;
  } catch {
    return undefined;
  }
}

function endsWithinLine(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  return readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== lineFeed;
}
