import type { AgentToolResult, PendingToolCall, ToolDisplay } from "./types.ts";

/** Maximum number of lines of a result, and of UTF-16 units of a line and of a call. */
const maxLines = 200;
const maxLength = 2000;

/** The text about a call that is about to run; undefined if its tool renders none. Never throws. */
export function displayCall({ tool, params }: PendingToolCall): ToolDisplay | undefined {
  return readDisplay({ call: attempt(() => tool.renderCall?.(params)) });
}

/**
 * A result with its display: that of the tool or of a hook, else the rendered one. Never throws.
 *
 * @param ofCall - The result of `displayCall`.
 */
export function withDisplay(
  result: AgentToolResult,
  { tool, params }: PendingToolCall,
  { ofCall, isError }: { ofCall: ToolDisplay | undefined; isError: boolean },
): AgentToolResult {
  const { display: given, ...others } = result;
  const rendered = isError ? undefined : attempt(() => tool.renderResult?.(others, params));
  return withGivenDisplay(others, { ...ofCall, ...(rendered === undefined ? {} : { result: rendered }), ...toRecord(given) });
}

/** A result with the display that its tool has given, which may have any shape. */
export function withGivenDisplay(result: AgentToolResult, given: unknown = result.display): AgentToolResult {
  const { display: _unread, ...others } = result;
  const display = readDisplay(given);
  return display ? { ...others, display } : others;
}

/** Takes the fields that have text, within the limits; undefined if there are none. */
function readDisplay(given: unknown): ToolDisplay | undefined {
  const { call, result } = toRecord(given);
  const callLines = toLines(call);
  const lines = toLines(result);
  if (!callLines && !lines) return undefined;
  return { ...(callLines ? { call: shorten(callLines.join(" ")) } : {}), ...(lines ? { result: lines.map(shorten) } : {}) };
}

/** The lines of a text, or of a list of texts; undefined for everything else. */
function toLines(value: unknown): string[] | undefined {
  const texts = typeof value === "string" ? [value] : value;
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === "string")) return undefined;
  const lines: string[] = [];
  // A line feed at the end of a text begins no line.
  for (const text of texts.slice(0, maxLines + 1)) lines.push(...text.replace(/\n$/, "").split("\n", maxLines + 1));
  if (lines.length <= maxLines && texts.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines - 1), "…"];
}

function shorten(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

/** Calls a function of a tool. Undefined if it fails or is asynchronous; a later failure of such a function is ignored. */
function attempt(render: () => unknown): unknown {
  try {
    const value = render();
    if (!(value instanceof Promise)) return value;
    value.catch(() => {});
    return undefined;
  } catch {
    return undefined;
  }
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
