import { closeSync, fstatSync, readSync } from "node:fs";
import { openFileSync, readStart, readStartSync, reasonOf } from "@pikit/ai/files";
import { SessionError } from "../errors.ts";
import type { SessionHeader } from "../protocol/frames.ts";
import { type SessionEntry, sessionVersion } from "./entries.ts";
import { tryParseEntry, tryParseObject } from "./entry-check.ts";
import { readFileLines } from "./file-lines.ts";
import { type FormatVersion, type Migration, type RawRecord, startMigration } from "./migrate.ts";

/** Maximum size of a header in bytes; a longer first line is not a header. */
const maxHeaderBytes = 64 * 1024;

/** The state of a session file after it was read or written, to detect later changes by others. */
export interface FileState {
  dev: number;
  ino: number;
  /** Bytes. */
  size: number;
  endsWithinLine: boolean;
  version: FormatVersion;
}

/** Receives the lines of a session file, in their order and in the current format. */
export interface SessionVisitor {
  onHeader?(header: SessionHeader): void;
  /** @param offset - The offset of the line in bytes; undefined if the entry was converted from an older format. */
  onEntry(entry: SessionEntry, offset: number | undefined): void;
  /** @param bytes - Valid only during the call. */
  onUnreadable?(bytes: Buffer, lineNumber: number): void;
}

export function describeUnreadable(path: string, lineNumber: number): string {
  return `${path}:${lineNumber} is not a session entry and was skipped.`;
}

/**
 * Reads only the header of a session file.
 *
 * @throws {SessionError} `not_found`, `read_failed`; `not_a_session` when the first line is not a session header; `unsupported_version`.
 */
export function readSessionHeader(path: string): SessionHeader {
  return withReadErrors(path, () => headerIn(readStartSync(path, maxHeaderBytes).bytes, path));
}

/** Like `readSessionHeader`, for an open file. */
export function readOpenHeader(file: number, path: string): SessionHeader {
  const buffer = Buffer.alloc(maxHeaderBytes);
  return headerIn(buffer.subarray(0, readSync(file, buffer, 0, maxHeaderBytes, 0)), path);
}

/** Like `readSessionHeader`, asynchronous. */
export async function readSessionHeaderAsync(path: string): Promise<SessionHeader> {
  return headerIn((await readStart(path, maxHeaderBytes)).bytes, path);
}

function headerIn(start: Buffer, path: string): SessionHeader {
  const line = start.toString("utf8").split("\n", 1)[0] ?? "";
  return parseHeader(line, path).migration.header;
}

/**
 * Reads a session file line by line.
 *
 * @throws {SessionError} `not_a_session`, `unsupported_version`.
 * @throws The system's error.
 */
export function scanSession(path: string, visitor: SessionVisitor): FileState {
  const { file } = openFileSync(path);
  try {
    return scanOpenSession(file, path, visitor);
  } finally {
    closeSync(file);
  }
}

/** Like `scanSession`, for an open file. */
export function scanOpenSession(file: number, path: string, visitor: SessionVisitor): FileState {
  const { dev, ino } = fstatSync(file);
  let found: { version: FormatVersion; migration: Migration } | undefined;
  const { size, endsWithinLine } = readFileLines(file, ({ text, index, offset, bytes }) => {
    if (!found) {
      found = parseHeader(text ?? "", path);
      visitor.onHeader?.(found.migration.header);
      for (const entry of found.migration.added) visitor.onEntry(entry, undefined);
      return;
    }
    if (text?.trim() === "") return;
    const { version, migration } = found;
    const entry = text === undefined ? undefined : tryParseEntry(text, (raw) => migration.migrateEntry(raw, index));
    if (entry) visitor.onEntry(entry, version === sessionVersion ? offset : undefined);
    else visitor.onUnreadable?.(bytes(), index + 1);
  });
  const { version } = found ?? parseHeader("", path);
  return { dev, ino, size, endsWithinLine, version };
}

/**
 * Reads the first line of a session file.
 *
 * @throws {SessionError} `not_a_session`, `unsupported_version`.
 */
export function parseHeader(line: string, path: string): { version: FormatVersion; migration: Migration } {
  const value = tryParseObject(line);
  if (value?.type !== "session" || typeof value.id !== "string") {
    throw new SessionError(
      "not_a_session",
      `${path} is not a session file: its first line is not a session header. The file was not changed.`,
    );
  }
  const version = value.version ?? 1;
  if (!isReadable(version)) {
    throw new SessionError(
      "unsupported_version",
      `${path} has session format ${String(version)}, but this version of pi reads formats up to ${sessionVersion}. Update pi. The file was not changed.`,
    );
  }
  return { version, migration: startMigration(value as RawRecord, version) };
}

function isReadable(version: unknown): version is FormatVersion {
  return version === 1 || version === 2 || version === sessionVersion;
}

/** Runs `read` and converts system errors to a `SessionError` that names the file. */
export function withReadErrors<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw toReadError(path, cause);
  }
}

/** Converts a system error to a `SessionError` that names the file. */
export function toReadError(path: string, cause: unknown): SessionError {
  if (cause instanceof SessionError) return cause;
  const reason = reasonOf(cause);
  const code = reason === "ENOENT" ? "not_found" : "read_failed";
  return new SessionError(code, `Cannot read the session file ${path}: ${reason}. Give the path of an existing session.`, {
    cause,
  });
}
