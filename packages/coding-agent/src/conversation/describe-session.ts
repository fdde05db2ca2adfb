import { closeSync } from "node:fs";
import { openFileSync } from "@pikit/ai/files/sync";
import { tryParseObject } from "./entry-check.ts";
import { readFileLines } from "./file-lines.ts";

/** Maximum characters of a line that is parsed. Longer lines, such as prompts with large images, are skipped. */
const maxParsed = 4 * 1024 * 1024;

/** The facts that a list shows about a stored session. */
export interface SessionDescription {
  /** The last name that the session was given; undefined if it has none. */
  name?: string;
  /** The text of the user's first message; undefined if there is none. */
  firstPrompt?: string;
}

/**
 * Reads the description of a session from its file. Only the lines that can have it are parsed, so that a list of long sessions is quick.
 *
 * @throws The system's error.
 */
export function describeSessionFile(path: string): SessionDescription {
  const found: SessionDescription = {};
  const { file } = openFileSync(path);
  try {
    readFileLines(file, ({ text = "" }) => {
      if (text.length > maxParsed) return;
      if (text.includes('"session_info"')) readName(text, found);
      else if (found.firstPrompt === undefined && text.includes('"user"')) readPrompt(text, found);
    });
  } finally {
    closeSync(file);
  }
  return found;
}

function readName(line: string, found: SessionDescription): void {
  const entry = tryParseObject(line);
  if (entry?.type === "session_info" && typeof entry.name === "string" && entry.name !== "") found.name = entry.name;
}

function readPrompt(line: string, found: SessionDescription): void {
  const entry = tryParseObject(line);
  const message = entry?.type === "message" ? (entry.message as { role?: unknown; content?: unknown } | null) : undefined;
  if (message?.role !== "user") return;
  const text = textOf(message.content);
  if (text !== "") found.firstPrompt = text;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const [text] = content.filter((block: { type?: unknown } | null) => block?.type === "text") as { text?: unknown }[];
  return typeof text?.text === "string" ? text.text : "";
}
