import { appendFileSync, closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readFileSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { SessionError } from "../errors.ts";
import type { SessionHeader } from "../protocol/frames.ts";
import { encodeLine } from "../protocol/jsonl.ts";
import { type LoadedSession, type SessionEntry, sessionVersion } from "./entries.ts";
import type { SessionStore } from "./session-store.ts";

/**
 * A session as a file of JSON lines, created with its first append. Appends are synchronous, one write each: a line that was told of is
 * in the file, whatever happens to the process afterwards, and a line costs some 20 µs.
 */
export class SessionFile implements SessionStore {
  readonly path: string;
  /** Whether the file may end within a line, left by a writer that was killed; the next append then begins on a fresh one. */
  #endsWithinLine: boolean;

  constructor(path: string) {
    this.path = path;
    this.#endsWithinLine = endsWithinLine(path);
  }

  append(lines: readonly (SessionHeader | SessionEntry)[]): void {
    const text = lines.map(encodeLine).join("");
    try {
      // Conversations are private: only their owner may read them.
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      appendWhole(this.path, this.#endsWithinLine ? `\n${text}` : text);
      this.#endsWithinLine = false;
    } catch (cause) {
      this.#endsWithinLine = endsWithinLine(this.path);
      const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
      throw new SessionError(
        "write_failed",
        `Cannot write to the session file ${this.path}: ${reason}. Free space or check permissions.`,
        {
          cause,
        },
      );
    }
  }
}

/** Appends all of the text or none of it: what a full disk took of it is removed again, so that it can be written once there is space. */
function appendWhole(path: string, text: string): void {
  const file = openSync(path, "a", 0o600);
  try {
    const { size } = fstatSync(file);
    try {
      appendFileSync(file, text);
    } catch (error) {
      cutBack(file, size);
      throw error;
    }
  } finally {
    closeSync(file);
  }
}

function cutBack(file: number, size: number): void {
  try {
    ftruncateSync(file, size);
  } catch {
    // No plain file. Half a line at the end is found by the next append, which then begins on a fresh one.
  }
}

/**
 * Reads a session file. Unreadable lines are left out and named in `diagnostics`, a torn last line among them; the file is not changed.
 *
 * @throws {SessionError} `not_found`, `read_failed`; `not_a_session` when the first line is no session header; `unsupported_version`.
 */
export function readSessionFile(path: string): LoadedSession {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    const code = reason === "ENOENT" ? "not_found" : "read_failed";
    throw new SessionError(code, `Cannot read the session file ${path}: ${reason}. Give the path of an existing session.`, {
      cause,
    });
  }
  const lines = text.split("\n");
  const header = parseHeader(lines[0] ?? "", path);
  const entries: SessionEntry[] = [];
  const diagnostics: string[] = [];
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index] as string;
    if (line.trim() === "") continue;
    const entry = tryParseEntry(line);
    if (entry) entries.push(entry);
    else diagnostics.push(`${path}:${index + 1} is not a session entry and was skipped.`);
  }
  return { header, entries, diagnostics };
}

function parseHeader(line: string, path: string): SessionHeader {
  const value = tryParseObject(line);
  if (value?.type !== "session" || typeof value.id !== "string") {
    throw new SessionError(
      "not_a_session",
      `${path} is not a session file: its first line is no session header. It was left unchanged.`,
    );
  }
  if (value.version !== sessionVersion) {
    throw new SessionError(
      "unsupported_version",
      `${path} has session format ${String(value.version ?? 1)}, and this pi reads format ${sessionVersion}. It was left unchanged.`,
    );
  }
  return { ...value, cwd: typeof value.cwd === "string" ? value.cwd : "" } as SessionHeader;
}

function tryParseEntry(line: string): SessionEntry | undefined {
  const value = tryParseObject(line);
  if (!value || typeof value.type !== "string" || typeof value.id !== "string") return undefined;
  if (value.type === "message" && !isMessage(value.message)) return undefined;
  return { ...value, parentId: typeof value.parentId === "string" ? value.parentId : null } as SessionEntry;
}

/** Whether a message can be shown and sent: a role, and the blocks that the roles of providers have. */
function isMessage(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("role" in value) || typeof value.role !== "string") return false;
  const content = "content" in value ? value.content : undefined;
  if (value.role === "user") return typeof content === "string" || Array.isArray(content);
  return (value.role !== "assistant" && value.role !== "toolResult") || Array.isArray(content);
}

function tryParseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // the caller reports the line
  }
}

function endsWithinLine(path: string): boolean {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return false; // no file yet; any other reason comes up, and is told, with the next append
  }
  try {
    const { size } = fstatSync(file);
    if (size === 0) return false;
    const last = Buffer.alloc(1);
    readSync(file, last, 0, 1, size - 1);
    return last[0] !== 0x0a;
  } finally {
    closeSync(file);
  }
}
