import type { SessionLine } from "@pikit/coding-agent";

/** The facts that entries add to the description of their session. Undefined: they say nothing about it. */
export interface Facts {
  name: string | undefined;
  firstPrompt: string | undefined;
  isInterrupted: boolean | undefined;
}

/** Maximum characters of a first prompt. */
const maxPrompt = 500;

/** Maximum characters of a name. */
const maxName = 500;

/** Reads the facts in entries, in their order. */
export function factsOf(lines: readonly SessionLine[]): Facts {
  const facts: Facts = { name: undefined, firstPrompt: undefined, isInterrupted: undefined };
  for (const line of lines) noteFacts(facts, line);
  return facts;
}

/** Adds the facts of the next entry. The entry may come from elsewhere, so nothing about its fields is certain. */
export function noteFacts(facts: Facts, line: SessionLine): void {
  if (line.type === "session_info") {
    if (typeof line.name === "string" && line.name !== "") facts.name = beginning(line.name, maxName);
    return;
  }
  if (line.type !== "message") return;
  const message = line.message as { role?: unknown; content?: unknown; stopReason?: unknown } | null | undefined;
  if (message?.role === "assistant") facts.isInterrupted = message.stopReason === "toolUse";
  else if (message?.role === "user" || message?.role === "toolResult") facts.isInterrupted = true;
  if (message?.role !== "user" || facts.firstPrompt !== undefined) return;
  const text = textOf(message.content);
  if (text !== "") facts.firstPrompt = beginning(text, maxPrompt);
}

/** The text as a column can hold it: PostgreSQL has no character 0. */
export function columnText(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}

function beginning(text: string, length: number): string {
  // A character that is cut in two would not be valid UTF-8.
  return columnText(text.slice(0, length)).replace(/[\ud800-\udbff]$/, "");
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const block = content.find((each: { type?: unknown } | null) => each?.type === "text") as { text?: unknown } | undefined;
  return typeof block?.text === "string" ? block.text : "";
}
