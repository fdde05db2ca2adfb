import { closeSync, fchmodSync, ftruncateSync, readSync, type Stats, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { AiError } from "../errors.ts";
import { FileError, openFileSync, reasonOf } from "../files/sync.ts";
import { type CallLine, formatVersion, type RecordedModel, type RecordingLine, recordingError } from "./format.ts";
import type { MessageSummary, RequestSummary } from "./request-summary.ts";

const files = new Map<string, RecordingFile>();

/** The recording at an absolute path. All models of this process that record there share one object. */
export function recordingFileAt(path: string): RecordingFile {
  const known = files.get(path);
  if (known) return known;
  const file = new RecordingFile(path);
  files.set(path, file);
  return file;
}

/**
 * Appends lines to a recording. Each line is one synchronous write, so a killed process leaves whole lines. The file is open only while a
 * call is recorded, and only its owner can read it.
 */
export class RecordingFile {
  readonly #path: string;
  #descriptor: number | undefined;
  #callsOpen = 0;
  #callCount = 0;
  /** Size of the file in bytes after this process's last write. A different size means that another process has changed the file. */
  #size = 0;
  /** The messages of the last request line. The next request line holds only the difference. */
  #lastMessages: readonly MessageSummary[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws {AiError} When the file cannot be written or is not a recording. */
  check(): void {
    this.#open();
    this.#release();
  }

  /**
   * Starts the record of a call and returns its number. Each `begin` needs an `end`.
   *
   * @throws {AiError} Like `check`.
   */
  begin(model: RecordedModel, { tools, messages }: RequestSummary): number {
    this.#open();
    this.#callCount += 1;
    const kept = countKept(this.#lastMessages, messages);
    try {
      this.write({ type: "request", stream: this.#callCount, model, tools, kept, messages: messages.slice(kept) });
    } catch (error) {
      this.#release();
      throw error;
    }
    this.#lastMessages = messages;
    return this.#callCount;
  }

  /** @throws {AiError} When the line cannot be written, for example because the disk is full. */
  write(line: CallLine): void {
    this.#append(line);
  }

  /** Ends the record of a call with its last line. */
  end(line: CallLine): void {
    try {
      this.#append(line);
    } finally {
      this.#release();
    }
  }

  #open(): void {
    if (this.#descriptor === undefined) {
      try {
        const { file, stats } = openFileSync(this.#path, { use: "record" });
        this.#descriptor = file;
        this.#adopt(file, stats);
      } catch (cause) {
        if (this.#descriptor !== undefined) closeSync(this.#descriptor);
        this.#descriptor = undefined;
        throw this.#toError(cause);
      }
    }
    this.#callsOpen += 1;
  }

  #release(): void {
    this.#callsOpen -= 1;
    if (this.#callsOpen > 0 || this.#descriptor === undefined) return;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** Prepares the file for appending: writes the header of a new file, or checks an existing one. */
  #adopt(descriptor: number, stats: Stats): void {
    fchmodSync(descriptor, 0o600);
    if (stats.size === this.#size && stats.size > 0) return;
    this.#lastMessages = [];
    this.#size = stats.size;
    if (stats.size === 0) {
      this.#append({ type: "recording", version: formatVersion });
    } else {
      requireRecording(readStart(descriptor), this.#path);
      this.#size = endOfLastLine(descriptor, stats.size);
      // The rest is a line that a crash has cut.
      if (this.#size < stats.size) ftruncateSync(descriptor, this.#size);
    }
  }

  #append(line: RecordingLine): void {
    if (this.#descriptor === undefined) return;
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      writeFileSync(this.#descriptor, bytes);
    } catch (cause) {
      throw this.#toError(cause);
    }
    this.#size += bytes.length;
  }

  #toError(cause: unknown): AiError | unknown {
    const { code } = cause as NodeJS.ErrnoException;
    if (!(cause instanceof FileError) && (typeof code !== "string" || !/^E[A-Z]+$/.test(code))) return cause;
    return recordingError(
      `Cannot write the recording ${this.#path}: ${reasonOf(cause)}. Choose a file that can be written.`,
      cause,
    );
  }
}

/** @throws {AiError} When the file with this beginning is not a recording, or has another version. */
export function requireRecording(start: string, path: string): void {
  let header: { type?: unknown; version?: unknown } | null = null;
  try {
    header = JSON.parse(start.split("\n", 1)[0] ?? "");
  } catch {
    // not JSON: not a recording
  }
  if (header?.type !== "recording") {
    throw recordingError(`${path} is not a recording: its first line is not {"type":"recording",…}. Choose another file.`);
  }
  if (header.version !== formatVersion) {
    throw recordingError(
      `${path} is a recording of version ${String(header.version)}, but this program reads version ${formatVersion}. Record it again.`,
    );
  }
}

function readStart(descriptor: number): string {
  const buffer = Buffer.alloc(256);
  return buffer.toString("utf8", 0, readSync(descriptor, buffer, 0, buffer.length, 0));
}

/** The end of the last complete line, in bytes. Reads backwards, because recordings are large and the rest is short. */
function endOfLastLine(descriptor: number, size: number): number {
  const buffer = Buffer.alloc(64 * 1024);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - buffer.length);
    const length = readSync(descriptor, buffer, 0, end - start, start);
    const found = buffer.subarray(0, length).lastIndexOf(0x0a);
    if (found >= 0) return start + found + 1;
    end = start;
  }
  return 0;
}

function countKept(before: readonly MessageSummary[], now: readonly MessageSummary[]): number {
  const count = before.findIndex((message, index) => !isDeepStrictEqual(message, now[index]));
  return count === -1 ? before.length : count;
}
