import { existsSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder, reasonOf, replaceFile } from "@pikit/ai/files";
import { SessionError } from "../errors.ts";
import type { SessionHeader } from "../protocol/frames.ts";
import { sessionVersion } from "./entries.ts";
import { tryParseEntry, tryParseObject } from "./entry-check.ts";
import { isSessionId } from "./ids.ts";
import { lockSession } from "./session-lock.ts";

export interface WriteLinesOptions {
  /** Returns the absolute path of the new file. Its folder is created if it is missing. */
  pathOf(header: SessionHeader): string;
  /** Returns the ref of the stored session with this id; undefined if there is none. */
  findSession(id: string): Promise<string | undefined>;
}

/**
 * Writes a session file from its lines, which are a header and entries of the current format. The file gets its name when it is complete.
 *
 * @returns Its path.
 * @throws {SessionError} `write_failed`, `locked`. The errors of `lines`.
 */
export async function writeLines(
  lines: AsyncIterable<readonly string[]>,
  { pathOf, findSession }: WriteLinesOptions,
): Promise<string> {
  const source = new Source(lines);
  try {
    const [first = "", ...others] = (await source.next()) ?? [];
    const header = readHeader(first);
    const path = pathOf(header);
    return await withWriteErrors(path, source, async () => {
      // Conversations are private: only the owner may read them.
      await makeFolder(dirname(path), 0o700);
      const lock = lockSession(path, path);
      try {
        const present = await findSession(header.id);
        if (present !== undefined) throw refusal(`The session ${header.id} is already stored in ${present}.`);
        if (existsSync(path)) throw refusal(`The file ${path} exists already.`);
        const text = new SessionText(first, source);
        await replaceFile(path, () => text.read(others), { isPrivate: true });
        // So that the copy has the place in lists that the original has.
        const time = timeOf(text.latest) ?? timeOf(header.timestamp);
        if (time !== undefined) await utimes(path, time, time);
      } finally {
        lock.release();
      }
      return path;
    });
  } finally {
    await source.close();
  }
}

/** The lines that the caller gives. */
class Source {
  /** The error of the lines; undefined if there is none. */
  failure: unknown;
  readonly #portions: AsyncIterator<readonly string[]>;

  constructor(lines: AsyncIterable<readonly string[]>) {
    this.#portions = lines[Symbol.asyncIterator]();
  }

  /** The next portion that has lines; undefined at the end. */
  async next(): Promise<readonly string[] | undefined> {
    try {
      for (;;) {
        const { done, value } = await this.#portions.next();
        if (done) return undefined;
        if (value.length > 0) return value;
      }
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#portions.return?.();
  }
}

/** The text of the file. */
class SessionText {
  /** The timestamp of the last entry; undefined if there is none, or before the text was read. */
  latest: string | undefined;
  readonly #header: string;
  readonly #source: Source;

  constructor(header: string, source: Source) {
    this.#header = header;
    this.#source = source;
  }

  async *read(first: readonly string[]): AsyncGenerator<string> {
    yield `${this.#header}\n`;
    let count = 1;
    for (let lines: readonly string[] | undefined = first; lines; lines = await this.#source.next()) {
      for (const line of lines) {
        count += 1;
        const entry = line.includes("\n") ? undefined : tryParseEntry(line, (raw) => raw);
        if (!entry) throw badLine(count, "is not a session entry");
        if (typeof entry.timestamp === "string") this.latest = entry.timestamp;
      }
      if (lines.length > 0) yield `${lines.join("\n")}\n`;
    }
  }
}

function readHeader(line: string): SessionHeader {
  const { type, version, id, timestamp = "", cwd = "" } = tryParseObject(line) ?? {};
  if (type !== "session" || version !== sessionVersion || line.includes("\n")) {
    throw badLine(1, `is not a session header of version ${sessionVersion}`);
  }
  // Both become parts of a file name.
  if (typeof id !== "string" || !isSessionId(id)) throw badLine(1, "has an id that cannot be part of a file name");
  if (typeof timestamp !== "string" || !/^[\d:.TZ+-]*$/.test(timestamp))
    throw badLine(1, "has a timestamp that is none of ISO 8601");
  if (typeof cwd !== "string") throw badLine(1, "has a cwd that is no text");
  return { type, version, id, timestamp, cwd };
}

/** The time of an ISO 8601 timestamp; undefined if it is none, or in the future. */
function timeOf(timestamp: string | undefined): Date | undefined {
  const time = Date.parse(timestamp ?? "");
  return time <= Date.now() ? new Date(time) : undefined;
}

function badLine(lineNumber: number, problem: string): SessionError {
  return refusal(`Cannot store a session from these lines: line ${lineNumber} ${problem}.`);
}

function refusal(problem: string): SessionError {
  return new SessionError("write_failed", `${problem} Nothing was written.`);
}

async function withWriteErrors<T>(path: string, source: Source, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    if (cause instanceof SessionError || cause === source.failure) throw cause;
    const advice = "Free space or check permissions. Nothing was written.";
    throw new SessionError("write_failed", `Cannot write the session file ${path}: ${reasonOf(cause)}. ${advice}`, { cause });
  }
}
