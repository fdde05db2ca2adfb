import { openFile } from "@pikit/ai/files";
import { tryParseObject } from "../../../conversation/entry-check.ts";

/** Bytes per read. Other work runs between two reads. */
const chunkSize = 256 * 1024;

/** Maximum bytes of a line that is parsed. Of longer lines, such as prompts with large images, only the role is read. */
const maxLine = 4 * 1024 * 1024;

/** Bytes of the beginning of a line, which tell whose message it is. */
const headLength = 200;

/** Bytes that tell whether a file is the one that was read before. */
const tailLength = 100;

/** Maximum characters of a first prompt. */
export const maxPrompt = 500;

/** Maximum number of remembered files. */
const maxRemembered = 2000;

const lineFeed = 0x0a;

/** The facts about a session file that a list shows. */
export interface FileDescription {
  name?: string;
  firstPrompt?: string;
  /** Whether the last prompt has no end in the file: it, or a tool call after it, has no answer. */
  isInterrupted: boolean;
}

interface Known {
  /** Bytes that were read, up to the end of a line. */
  size: number;
  /** The last of these bytes: another file with the same path has others. */
  tail: Buffer;
  description: FileDescription;
}

/** Reads into the buffer from a position. */
type Read = (buffer: Buffer, position: number) => Promise<{ bytesRead: number }>;

/**
 * Describes session files. Entries are only ever added to them, so a file that was read before is read from there on. Asynchronous and in
 * small steps, because the server streams other sessions meanwhile.
 */
export class FileDescriptions {
  /** By path, the latest used last. */
  readonly #known = new Map<string, Known>();

  /** A file that cannot be read has no description. */
  async describe(path: string): Promise<FileDescription> {
    try {
      return await this.#read(path);
    } catch {
      return { isInterrupted: false };
    }
  }

  async #read(path: string): Promise<FileDescription> {
    const { file } = await openFile(path);
    try {
      const read: Read = (buffer, position) => file.read(buffer, 0, buffer.length, position);
      const before = this.#known.get(path);
      const same = before?.tail.equals(await readTail(read, before.size)) ? before : undefined;
      const description: FileDescription = same ? { ...same.description } : { isInterrupted: false };
      const size = await readLines(read, same?.size ?? 0, (line) => note(description, line));
      this.#remember(path, { size, tail: await readTail(read, size), description });
      return description;
    } finally {
      await file.close();
    }
  }

  #remember(path: string, known: Known): void {
    this.#known.delete(path);
    this.#known.set(path, known);
    for (const [oldest] of this.#known) {
      if (this.#known.size <= maxRemembered) break;
      this.#known.delete(oldest);
    }
  }
}

/** The last bytes before a position; fewer if the file is shorter. */
async function readTail(read: Read, end: number): Promise<Buffer> {
  const start = Math.max(0, end - tailLength);
  const buffer = Buffer.alloc(end - start);
  const { bytesRead } = await read(buffer, start);
  return buffer.subarray(0, bytesRead);
}

/** Calls `onLine` with each complete line, and with the beginning of one that is too long. Returns the position after the last line. */
async function readLines(read: Read, from: number, onLine: (line: Buffer) => void): Promise<number> {
  let held: Buffer[] = [];
  let heldLength = 0;
  let position = from;
  for (;;) {
    const buffer = Buffer.allocUnsafe(chunkSize);
    const { bytesRead } = await read(buffer, position);
    if (bytesRead === 0) return position - heldLength;
    position += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      const line = Buffer.concat([...held, chunk.subarray(start, end)]);
      onLine(heldLength > maxLine ? line.subarray(0, headLength) : line);
      held = [];
      heldLength = 0;
      start = end + 1;
    }
    // Of a line that is too long, only the beginning is kept.
    if (heldLength <= maxLine) held.push(chunk.subarray(start));
    heldLength += bytesRead - start;
  }
}

function note(description: FileDescription, line: Buffer): void {
  if (line.includes('"session_info"')) noteName(description, line);
  if (line.includes('"message"')) noteMessage(description, line);
}

function noteName(description: FileDescription, line: Buffer): void {
  const entry = tryParseObject(line.toString("utf8"));
  if (entry?.type === "session_info" && typeof entry.name === "string" && entry.name !== "") description.name = entry.name;
}

function noteMessage(description: FileDescription, line: Buffer): void {
  // The lines of pi begin so; most of them need no parsing.
  const head = /^\{"type":"message","message":\{"role":"(\w+)"/.exec(line.toString("latin1", 0, headLength))?.[1];
  if (head === "toolResult" || (head === "user" && description.firstPrompt !== undefined)) {
    description.isInterrupted = true;
    return;
  }
  const entry = tryParseObject(line.toString("utf8"));
  const message = entry?.type === "message" ? (entry.message as Record<string, unknown> | null) : undefined;
  const role = entry === undefined ? head : message?.role;
  if (role === "assistant") description.isInterrupted = message?.stopReason === "toolUse";
  else if (role === "user" || role === "toolResult") description.isInterrupted = true;
  const prompt = role === "user" ? textOf(message?.content) : undefined;
  if (prompt !== undefined) description.firstPrompt ??= prompt.slice(0, maxPrompt);
}

/** The text of a message; undefined if it has none. */
export function textOf(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  const block = content.find((each: { type?: unknown } | null) => each?.type === "text") as { text?: unknown } | undefined;
  return typeof block?.text === "string" ? block.text : undefined;
}
