import type { AgentToolResult } from "@pikit/agent";
import { formatSize } from "../../../tools/output/truncate.ts";
import { count, cutLine, groupDigits, toSafeText, wrap } from "../lines.ts";
import type { Theme } from "../theme/theme.ts";
import { countChanges, renderDiff } from "./diff-lines.ts";
import { imageLabel } from "./images.ts";
import { countLines, firstLines, lastLines, type SomeLines } from "./some-lines.ts";

/** Numbers of lines that are shown: folded, and in full. */
const shownOutput = 8;
const shownOthers = 5;
const shownDisplay = 20;
const shownDiff = 40;
const shownInFull = 200;
/** Maximum number of rows of an error that is folded. */
const maxErrorRows = 16;

/** A tool call that has ended. */
export interface EndedCall {
  toolName: string;
  args: Record<string, unknown>;
  result: AgentToolResult;
  isError: boolean;
}

export interface ResultOptions {
  theme: Theme;
  /** Whether up to 200 lines are shown. Long lines are then wrapped. */
  isFull: boolean;
  /** Whether long lines are wrapped. */
  wraps?: boolean;
}

/** A few words about the result for the first line; empty if there is nothing to say. */
export function describeResult({ toolName, result, isError }: EndedCall): string {
  // The text of the tool says what there is to say.
  if (isError || result.display?.result) return "";
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
  const labels = labelsOf(call.result).map((label) => options.theme.dim(cutLine(label, width)));
  return [...renderText(call, width, options), ...labels];
}

function renderText(call: EndedCall, width: number, options: ResultOptions): string[] {
  const { toolName, result, isError, args } = call;
  const text = textOf(result);
  if (isError) return renderError(toolName === "bash" ? text.replace(/^\(no output\)\n\n/, "") : text, call, width, options);
  if (result.display?.result) return renderHead(result.display.result.join("\n"), width, options, shownDisplay);
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
      // The first line has their number.
      return options.isFull ? renderHead(text, width, options) : [];
    case "todo":
      return renderHead(text.slice(text.indexOf("\n") + 1), width, options, 20);
    default:
      return renderHead(text, width, options);
  }
}

function textOf({ content }: AgentToolResult): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function labelsOf({ content }: AgentToolResult): string[] {
  return content.filter((block) => block.type === "image").map((image, index) => imageLabel(image, index + 1));
}

/** The error of a call: for a command, the end of its output and the reason; for other tools, sentences. */
function renderError(text: string, { toolName }: EndedCall, width: number, options: ResultOptions): string[] {
  if (toolName === "bash") return renderOutput(text, width, options);
  const lines = renderHead(text, width, { ...options, wraps: true }, shownOutput);
  const most = options.isFull ? shownInFull : maxErrorRows;
  return lines.length > most ? [...lines.slice(0, most), options.theme.dim("…")] : lines;
}

function renderOutput(text: string, width: number, options: ResultOptions): string[] {
  // A note about one line would take as much room as the line.
  const most = options.isFull ? shownInFull : shownOutput;
  const some = lastLines(text, countLines(text) === most + 1 ? most + 1 : most);
  const note = moreNote(some, options.theme);
  return [...note, ...renderLines(some.lines, width, options)];
}

function renderHead(text: string, width: number, options: ResultOptions, most = shownOthers): string[] {
  const wanted = options.isFull ? shownInFull : most;
  const some = firstLines(text, countLines(text) === wanted + 1 ? wanted + 1 : wanted);
  return [...renderLines(some.lines, width, options), ...moreNote(some, options.theme)];
}

function renderLines(lines: readonly string[], width: number, { theme, isFull, wraps = isFull }: ResultOptions): string[] {
  return lines.flatMap((line) => {
    const safe = toSafeText(line);
    return wraps ? wrap(safe, width, theme.dim) : [theme.dim(cutLine(safe, width))];
  });
}

function moreNote({ left }: SomeLines, theme: Theme): string[] {
  return left === 0 ? [] : [theme.dim(`… ${count(left, "more line")}`)];
}

function countOf(value: unknown, one: string, many = `${one}s`): string {
  return typeof value === "number" ? `${groupDigits(value)} ${value === 1 ? one : many}` : "";
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
