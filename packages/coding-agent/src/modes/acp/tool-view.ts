import { isAbsolute, resolve } from "node:path";
import type { Content, Diff, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import type { AgentToolResult } from "@pikit/agent";
import type { ImageContent, TextContent } from "@pikit/ai";
import { listEdits } from "../../render/changed-lines.ts";
import { toCodeBlock } from "./code-block.ts";

/** How an editor shows a tool call. */
export interface CallView {
  title: string;
  kind: ToolKind;
  locations: ToolCallLocation[];
}

const kinds: Readonly<Record<string, ToolKind>> = {
  ...{ read: "read", ls: "read", edit: "edit", write: "edit", bash: "execute", grep: "search", find: "search" },
  ...{ todo: "think", delegate: "think" },
};

/** Tools whose result is plain text, which editors would show as Markdown. */
const plainTextTools: ReadonlySet<string> = new Set(["read", "bash", "grep", "find", "ls"]);

/** Maximum characters of a title, and of a text of a result. */
const maxTitle = 200;
const maxText = 100_000;

/** Maximum characters of a text in a diff. Editors compare the texts, which takes time. */
const maxDiffText = 500_000;

/** The kind of a tool. */
export function kindOf(toolName: string): ToolKind {
  return Object.hasOwn(kinds, toolName) ? (kinds[toolName] as ToolKind) : "other";
}

/** Describes a call with its arguments. @param cwd - The working folder of the session. */
export function viewCall(toolName: string, args: Readonly<Record<string, unknown>>, cwd: string): CallView {
  const path = typeof args.path === "string" ? args.path : undefined;
  const line = typeof args.offset === "number" && Number.isInteger(args.offset) && args.offset > 0 ? { line: args.offset } : {};
  return {
    title: shorten(titleOf(toolName, args, path)),
    kind: kindOf(toolName),
    locations: path === undefined ? [] : [{ path: absolute(path, cwd), ...line }],
  };
}

function titleOf(toolName: string, args: Readonly<Record<string, unknown>>, path: string | undefined): string {
  const { command, pattern, description, offset, limit } = args;
  if (toolName === "bash" && typeof command === "string") return command;
  if (toolName === "read" && path !== undefined) return `Read ${path}${describeRange(offset, limit)}`;
  if (toolName === "edit" && path !== undefined) return `Edit ${path}`;
  if (toolName === "write" && path !== undefined) return `Write ${path}`;
  if (toolName === "ls") return `List ${path ?? "."}`;
  if (toolName === "grep" && typeof pattern === "string") return `Search ${path ?? "."} for ${pattern}`;
  if (toolName === "find" && typeof pattern === "string") return `Find ${pattern} in ${path ?? "."}`;
  if (toolName === "todo") return "Update the tasks";
  if (typeof description === "string") return `${toolName}: ${description}`;
  return toolName;
}

function describeRange(offset: unknown, limit: unknown): string {
  const first = typeof offset === "number" ? offset : 1;
  if (typeof limit === "number") return ` (lines ${first}-${first + limit - 1})`;
  return typeof offset === "number" ? ` (from line ${first})` : "";
}

/** One line, because editors show titles in one. */
function shorten(title: string): string {
  const line = title.replaceAll(/\s+/g, " ").trim();
  return line.length > maxTitle ? `${line.slice(0, maxTitle - 1)}…` : line;
}

function absolute(path: string, cwd: string): string {
  return isAbsolute(path) ? path : resolve(cwd, path);
}

/**
 * The changes that a call of `edit` or `write` would make; empty for other calls.
 *
 * @param oldText - The content of the file that `write` replaces; null for a new file.
 */
export function diffsOf(
  toolName: string,
  args: Readonly<Record<string, unknown>>,
  cwd: string,
  oldText: string | null,
): ToolCallContent[] {
  if (typeof args.path !== "string") return [];
  const path = absolute(args.path, cwd);
  if (toolName === "write" && typeof args.content === "string") return [toDiff({ path, oldText, newText: args.content })];
  if (toolName !== "edit") return [];
  return listEdits(args).map(({ oldText: before, newText }) => toDiff({ path, oldText: before, newText }));
}

function toDiff({ path, oldText, newText }: Diff): ToolCallContent {
  const cut = (text: string) => (text.length > maxDiffText ? `${text.slice(0, maxDiffText)}…` : text);
  return { type: "diff", path, oldText: oldText === null || oldText === undefined ? null : cut(oldText), newText: cut(newText) };
}

/** The content of a result, for people. */
export function contentOf(toolName: string, { content, display }: AgentToolResult): ToolCallContent[] {
  if (display?.result) return display.result.length > 0 ? [toText(toCodeBlock(display.result.join("\n")))] : [];
  return content.map((block) => (block.type === "text" ? toText(toShown(toolName, block)) : toImage(block)));
}

function toShown(toolName: string, { text }: TextContent): string {
  const shown = text.length > maxText ? `${text.slice(0, maxText)}\n… ${text.length - maxText} characters left out` : text;
  return plainTextTools.has(toolName) ? toCodeBlock(shown) : shown;
}

/** A text as content of a tool call. */
export function toText(text: string): Content & { type: "content" } {
  return { type: "content", content: { type: "text", text } };
}

function toImage({ data, mimeType }: ImageContent): ToolCallContent {
  return { type: "content", content: { type: "image", data, mimeType } };
}
