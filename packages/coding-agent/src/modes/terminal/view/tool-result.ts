import type { AgentToolResult } from "@pikit/agent";
import { formatSize } from "../../../tools/output/truncate.ts";
import type { Theme } from "../theme/theme.ts";
import { countChanges, renderDiff } from "./diff-lines.ts";
import { imageLabel } from "./images.ts";
import { count, cutLine, toSafeText, wrap } from "./lines.ts";
import { countLines, firstLines, lastLines, type SomeLines } from "./some-lines.ts";

/** Numbers of lines that are shown: folded, and in full. */
const shownOutput = 8;
const shownOthers = 5;
const shownDiff = 40;
const shownInFull = 200;

/** A tool call that has ended. */
export interface EndedCall {
  toolName: string;
  args: Record<string, unknown>;
  result: AgentToolResult;
  isError: boolean;
}

export interface ResultOptions {
  theme: Theme;
  isFull: boolean;
}

/** A few words about the result for the first line; empty if there is nothing to say. */
export function describeResult({ toolName, result, isError }: EndedCall): string {
  if (isError) return "";
  const details = toRecord(result.details);
  switch (toolName) {
    case "edit": {
      if (typeof details.diff !== "string" || details.diff === "") return "";
      const { added, removed } = countChanges(details.diff);
      return `+${added} -${removed}`;
    }
    case "read":
      return result.content.some(({ type }) => type === "image") ? "" : countOf(details.outputLines, "line");
    case "grep":
      return `${countOf(details.matches, "match", "matches")}${details.truncated === true ? " and more" : ""}`;
    case "find":
    case "ls":
      return countOf(details.outputEntries, "entry", "entries");
    case "write":
      return typeof details.bytes === "number"
        ? `${details.created === false ? "replaced, " : ""}${formatSize(details.bytes)}`
        : "";
    default:
      return "";
  }
}

/** The lines below the first one. */
export function renderResult(call: EndedCall, width: number, options: ResultOptions): string[] {
  const { toolName, result, isError, args } = call;
  const text = textOf(result);
  if (isError) return renderOutput(text, width, options);
  const diff = toRecord(result.details).diff;
  switch (toolName) {
    case "bash":
      return text === "(no output)" ? [] : renderOutput(text, width, options);
    case "edit":
      return typeof diff === "string" && diff !== ""
        ? renderDiff(diff, width, { theme: options.theme, most: options.isFull ? shownInFull : shownDiff })
        : renderHead(text, width, options);
    case "write":
      return renderHead(typeof args.content === "string" ? args.content : "", width, options);
    case "read":
    case "ls":
    case "find":
      return options.isFull ? renderHead(text, width, options) : [];
    case "todo":
      return renderHead(text.slice(text.indexOf("\n") + 1), width, options, 20);
    default:
      return renderHead(text, width, options);
  }
}

/** The last lines of an output that is not complete. */
export function renderTail(text: string, width: number, theme: Theme, most: number): string[] {
  return lastLines(text, most).lines.map((line) => theme.dim(cutLine(toSafeText(line), width)));
}

/** The text of a result, with its images as labels. */
function textOf({ content }: AgentToolResult): string {
  return content.map((block, index) => (block.type === "text" ? block.text : imageLabel(block, index + 1))).join("\n");
}

function renderOutput(text: string, width: number, options: ResultOptions): string[] {
  const some = options.isFull ? lastLines(text, shownInFull) : lastLines(text, shownOutput);
  const note = moreNote(some, options.theme);
  return [...note, ...renderLines(some.lines, width, options)];
}

function renderHead(text: string, width: number, options: ResultOptions, most = shownOthers): string[] {
  const all = countLines(text);
  // A note about one line would take as much room as the line.
  const some = firstLines(text, options.isFull ? shownInFull : all === most + 1 ? all : most);
  return [...renderLines(some.lines, width, options), ...moreNote(some, options.theme)];
}

function renderLines(lines: readonly string[], width: number, { theme, isFull }: ResultOptions): string[] {
  return lines.flatMap((line) => {
    const safe = toSafeText(line);
    return isFull ? wrap(safe, width, { style: theme.dim }) : [theme.dim(cutLine(safe, width))];
  });
}

function moreNote({ left }: SomeLines, theme: Theme): string[] {
  return left === 0 ? [] : [theme.dim(`… ${count(left, "more line")}`)];
}

function countOf(value: unknown, one: string, many = `${one}s`): string {
  return typeof value === "number" ? `${value.toLocaleString("en-US")} ${value === 1 ? one : many}` : "";
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
