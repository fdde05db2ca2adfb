import { constants, isUtf8 } from "node:buffer";
import { openFile } from "@pikit/ai/files";
import { SessionError } from "../errors.ts";
import { encodeJson } from "../protocol/jsonl.ts";
import { sessionVersion } from "./entries.ts";
import { tryParseEntry } from "./entry-check.ts";
import type { Migration } from "./migrate.ts";
import { parseHeader, readSessionHeaderAsync, toReadError } from "./read-session.ts";

/** Bytes per read. */
const chunkSize = 256 * 1024;

const lineFeed = 0x0a;

/**
 * Reads the lines of a session file as they are, without line ends: those that it has when the reading begins. Blank lines are left out. The
 * lines of an older format are those of the current format that `migrateSessionFile` would write.
 *
 * @returns Portions of lines, so that other work runs between them.
 * @throws {SessionError} Like `FileSessionStore.open`; `read_failed` also for a line that is not an entry.
 */
export async function* readRawLines(path: string): AsyncGenerator<string[]> {
  const fail = (cause: unknown) => Promise.reject(toReadError(path, cause));
  await readSessionHeaderAsync(path).catch(fail);
  const { file, stats } = await openFile(path).catch(fail);
  try {
    const reader = new RawReader(path);
    for (let position = 0; !reader.isEnded; ) {
      const buffer = Buffer.allocUnsafe(chunkSize);
      const { bytesRead } = await file.read(buffer, 0, chunkSize, position).catch(fail);
      position += bytesRead;
      const lines = bytesRead === 0 ? reader.end() : reader.add(buffer.subarray(0, bytesRead), stats.size);
      if (lines.length > 0) yield lines;
    }
  } finally {
    await file.close();
  }
}

/** Splits a file into lines, and checks each of them. */
class RawReader {
  /** Whether there is nothing more to read. */
  isEnded = false;
  readonly #path: string;
  /** The pieces of an unfinished line. */
  #held: Buffer[] = [];
  #heldLength = 0;
  /** The position of the next line, in bytes. */
  #position = 0;
  /** The number of lines so far. */
  #count = 0;
  #migration: Migration | undefined;
  /** Whether the file has the current format, so that its lines are returned as they are. */
  #isCurrent = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Adds bytes, and returns the lines that are complete now. @param fileSize - Lines that begin after so many bytes are left out. */
  add(chunk: Buffer, fileSize: number): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      this.#held.push(chunk.subarray(start, end));
      start = end + 1;
      lines.push(...this.#finishLine());
      if (this.#position >= fileSize) {
        this.isEnded = true;
        return lines;
      }
    }
    this.#held.push(chunk.subarray(start));
    this.#heldLength += chunk.length - start;
    if (this.#heldLength > constants.MAX_STRING_LENGTH) this.#refuse(this.#count + 1);
    return lines;
  }

  /** Returns the last line, if it has no LF. */
  end(): string[] {
    this.isEnded = true;
    return this.#held.some(({ length }) => length > 0) || this.#count === 0 ? this.#finishLine() : [];
  }

  #finishLine(): string[] {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldLength = 0;
    this.#position += bytes.length + 1;
    this.#count += 1;
    // Decoding replaces invalid bytes, so that a copy would be different.
    if (!isUtf8(bytes) || bytes.length > constants.MAX_STRING_LENGTH) this.#refuse(this.#count);
    return this.#check(bytes.toString("utf8"));
  }

  /** The lines of the current format for a line of the file. */
  #check(line: string): string[] {
    const migration = this.#migration;
    if (migration === undefined) return this.#begin(line);
    if (line.trim() === "") return [];
    const entry = tryParseEntry(line, (raw) => migration.migrateEntry(raw, this.#count - 1));
    if (entry === undefined) return this.#refuse(this.#count);
    return [this.#isCurrent ? line : encodeJson(entry)];
  }

  #begin(line: string): string[] {
    const { version, migration } = parseHeader(line, this.#path);
    this.#migration = migration;
    this.#isCurrent = version === sessionVersion;
    return this.#isCurrent ? [line] : [migration.header, ...migration.added].map((each) => encodeJson(each));
  }

  #refuse(lineNumber: number): never {
    throw new SessionError(
      "read_failed",
      `${this.#path}:${lineNumber} is not a session entry, so the session cannot be copied without a loss. Repair the line, or remove it.`,
    );
  }
}
