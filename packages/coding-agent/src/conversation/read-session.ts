import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { SessionError } from "../errors.ts";
import type { SessionHeader } from "../protocol/frames.ts";
import { type LoadedSession, type SessionEntry, sessionVersion } from "./entries.ts";
import { tryParseEntry, tryParseObject } from "./entry-check.ts";
import { readFileLines } from "./file-lines.ts";
import { type FormatVersion, type Migration, type RawRecord, startMigration } from "./migrate.ts";

/** Bytes in which a header must end; longer first lines are no headers. */
const maxHeaderBytes = 64 * 1024;

/** A session file as it was found or left, to see later whether it still is that. */
export interface FileState {
  dev: number;
  ino: number;
  /** Bytes. */
  size: number;
  endsWithinLine: boolean;
  version: FormatVersion;
}

/** Is called with the lines of a session file in their order, brought to the current format. */
export interface SessionVisitor {
  onHeader?(header: SessionHeader): void;
  onEntry(entry: SessionEntry): void;
  /** @param bytes - Valid during the call. */
  onUnreadable?(bytes: Buffer, lineNumber: number): void;
}

/**
 * Reads a session file. Unreadable lines are left out and named in `diagnostics`, a torn last line among them; older formats are
 * brought to the current one in memory. The file is not changed.
 *
 * @throws {SessionError} `not_found`, `read_failed`; `not_a_session` when the first line is no session header; `unsupported_version`.
 */
export function readSessionFile(path: string): LoadedSession {
  return loadSession(path).loaded;
}

/** As `readSessionFile`, with the state in which the file was. */
export function loadSession(path: string): { loaded: LoadedSession; state: FileState } {
  let header: SessionHeader | undefined;
  const entries: SessionEntry[] = [];
  const diagnostics: string[] = [];
  const state = withReadErrors(path, () =>
    scanSession(path, {
      onHeader: (found) => {
        header = found;
      },
      onEntry: (entry) => void entries.push(entry),
      onUnreadable: (_bytes, lineNumber) => void diagnostics.push(`${path}:${lineNumber} is not a session entry and was skipped.`),
    }),
  );
  return { loaded: { header: header as SessionHeader, entries, diagnostics }, state };
}

/**
 * Reads no more than the header of a session file.
 *
 * @throws {SessionError} As `readSessionFile`.
 */
export function readSessionHeader(path: string): SessionHeader {
  return withReadErrors(path, () => {
    const file = openSync(path, "r");
    try {
      const buffer = Buffer.alloc(maxHeaderBytes);
      const length = readSync(file, buffer, 0, maxHeaderBytes, 0);
      const line = buffer.subarray(0, length).toString("utf8").split("\n", 1)[0] ?? "";
      return parseHeader(line, path).migration.header;
    } finally {
      closeSync(file);
    }
  });
}

/**
 * Reads a session file line by line.
 *
 * @throws {SessionError} `not_a_session`, `unsupported_version`.
 * @throws The system's error.
 */
export function scanSession(path: string, visitor: SessionVisitor): FileState {
  const file = openSync(path, "r");
  try {
    const { dev, ino } = fstatSync(file);
    let found: { version: FormatVersion; migration: Migration } | undefined;
    const { size, endsWithinLine } = readFileLines(file, (bytes, index) => {
      if (!found) {
        found = parseHeader(toText(bytes) ?? "", path);
        visitor.onHeader?.(found.migration.header);
        for (const entry of found.migration.added) visitor.onEntry(entry);
        return;
      }
      const text = toText(bytes);
      if (text?.trim() === "") return;
      const { migration } = found;
      const entry = text === undefined ? undefined : tryParseEntry(text, (raw) => migration.migrateEntry(raw, index));
      if (entry) visitor.onEntry(entry);
      else visitor.onUnreadable?.(bytes, index + 1);
    });
    const { version } = found ?? parseHeader("", path);
    return { dev, ino, size, endsWithinLine, version };
  } finally {
    closeSync(file);
  }
}

function parseHeader(line: string, path: string): { version: FormatVersion; migration: Migration } {
  const value = tryParseObject(line);
  if (value?.type !== "session" || typeof value.id !== "string") {
    throw new SessionError(
      "not_a_session",
      `${path} is not a session file: its first line is no session header. It was left unchanged.`,
    );
  }
  const version = value.version ?? 1;
  if (!isReadable(version)) {
    throw new SessionError(
      "unsupported_version",
      `${path} has session format ${String(version)}, and this pi reads formats up to ${sessionVersion}. It was left unchanged.`,
    );
  }
  return { version, migration: startMigration(value as RawRecord, version) };
}

function isReadable(version: unknown): version is FormatVersion {
  return version === 1 || version === 2 || version === sessionVersion;
}

/** Undefined for a line that is longer than a string can be. */
function toText(bytes: Buffer): string | undefined {
  try {
    return bytes.toString("utf8");
  } catch {
    return undefined;
  }
}

function withReadErrors<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof SessionError) throw cause;
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    const code = reason === "ENOENT" ? "not_found" : "read_failed";
    throw new SessionError(code, `Cannot read the session file ${path}: ${reason}. Give the path of an existing session.`, {
      cause,
    });
  }
}
