import { isAbsolute, relative } from "node:path";
import { count, toSafeLine } from "../lines.ts";
import { countLines } from "./some-lines.ts";

/** Describes the arguments of a tool call in one line, safe for the terminal. The arguments may still be incomplete, or not valid. */
export function describeArguments(toolName: string, args: Record<string, unknown>, cwd: string): string {
  const text = (name: string) => (typeof args[name] === "string" ? toSafeLine(args[name]) : "");
  const path = () => toSafeLine(shortenPath(text("path"), cwd));
  switch (toolName) {
    case "bash":
      return typeof args.command === "string" ? toSafeLine(args.command.trim().replace(/\s*\n\s*/g, " ↵ ")) : "";
    case "read":
      return path() + lineRange(args.offset, args.limit);
    case "edit":
      return path();
    case "write":
      return typeof args.content === "string" && args.content !== ""
        ? `${path()}  ${count(countLines(args.content), "line")}`
        : path();
    case "grep":
      return join(text("pattern") && `"${text("pattern")}"`, path(), text("glob"));
    case "find":
      return join(text("pattern"), path());
    case "ls":
      return path() || ".";
    case "delegate":
      return text("task");
    case "todo":
      return "";
    default:
      return describeOthers(args);
  }
}

/** The path relative to the working folder if it is inside. */
function shortenPath(path: string, cwd: string): string {
  if (!isAbsolute(path)) return path;
  const inner = relative(cwd, path);
  return inner === "" ? "." : inner.startsWith("..") || isAbsolute(inner) ? path : inner;
}

function lineRange(offset: unknown, limit: unknown): string {
  const first = typeof offset === "number" ? offset : 1;
  if (typeof limit === "number") return `:${first}-${first + limit - 1}`;
  return first > 1 ? `:${first}-` : "";
}

/** Arguments of a tool of an extension or a server: `name: value`. Long texts and lists are cut. */
function describeOthers(args: Record<string, unknown>): string {
  const entries = Object.entries(args).slice(0, 8);
  const [only] = entries;
  if (entries.length === 1 && typeof only?.[1] === "string") return toSafeLine(only[1]);
  return entries.map(([name, value]) => `${toSafeLine(name)}: ${describeValue(value)}`).join(", ");
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`;
  if (typeof value === "object" && value !== null) return "{…}";
  const text = typeof value === "string" ? toSafeLine(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function join(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("  ");
}
