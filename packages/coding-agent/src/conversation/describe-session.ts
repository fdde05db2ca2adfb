import { closeSync } from "node:fs";
import { openFileSync } from "@pikit/ai/files/sync";
import { tryParseObject } from "./entry-check.ts";
import { readFileLines } from "./file-lines.ts";
import type { RawRecord } from "./migrate.ts";
import type { SessionDescription } from "./session-store.ts";

/** Maximum characters of a line that is parsed. Of longer lines, such as prompts with large images, only the role is read. */
const maxParsed = 4 * 1024 * 1024;

/** Maximum characters of a first prompt. */
const maxPrompt = 500;

/** The beginning of a line that pi has written for a message. Most of these lines need no parsing. */
const messageHead = /^\{"type":"message","message":\{"role":"(\w+)"/;
const headLength = 200;

/**
 * Reads the description of a session from its file. Only the lines that can have it are parsed, so that a list of long sessions is quick.
 *
 * @throws The system's error.
 */
export function describeSessionFile(path: string): SessionDescription {
  const describer = new LineDescriber();
  const { file } = openFileSync(path);
  try {
    readFileLines(file, ({ text = "" }) => describer.add(text));
  } finally {
    closeSync(file);
  }
  return describer.end();
}

class LineDescriber {
  readonly #found: SessionDescription = { isInterrupted: false };
  /** The last message, if the model wrote it. It is parsed at the end, when it is known to be the last. */
  #answer: string | undefined;

  add(line: string): void {
    if (line.includes('"session_info"')) this.#readName(line);
    const role = messageHead.exec(line.slice(0, headLength))?.[1];
    if (role === "assistant") this.#answer = line;
    else if (role === "toolResult") this.#interrupt();
    else if (role === "user" || line.includes('"message"')) this.#readMessage(line, role);
  }

  end(): SessionDescription {
    if (this.#answer !== undefined) this.#found.isInterrupted = messageIn(parse(this.#answer))?.stopReason === "toolUse";
    return this.#found;
  }

  #readName(line: string): void {
    const entry = parse(line);
    if (entry?.type === "session_info" && typeof entry.name === "string" && entry.name !== "") this.#found.name = entry.name;
  }

  /** @param head - The role, if the beginning of the line tells it. */
  #readMessage(line: string, head: string | undefined): void {
    if (head === "user" && this.#found.firstPrompt !== undefined) {
      this.#interrupt();
      return;
    }
    const message = messageIn(parse(line));
    const role = message?.role ?? head;
    if (role === "assistant") this.#answer = line;
    else if (role === "user" || role === "toolResult") this.#interrupt();
    const prompt = role === "user" ? textOf(message?.content).slice(0, maxPrompt) : "";
    if (prompt !== "") this.#found.firstPrompt ??= prompt;
  }

  #interrupt(): void {
    this.#answer = undefined;
    this.#found.isInterrupted = true;
  }
}

function parse(line: string): RawRecord | undefined {
  return line.length > maxParsed ? undefined : tryParseObject(line);
}

function messageIn(entry: RawRecord | undefined): RawRecord | undefined {
  const message = entry?.type === "message" ? entry.message : undefined;
  return typeof message === "object" && message !== null ? (message as RawRecord) : undefined;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const [text] = content.filter((block: { type?: unknown } | null) => block?.type === "text") as { text?: unknown }[];
  return typeof text?.text === "string" ? text.text : "";
}
