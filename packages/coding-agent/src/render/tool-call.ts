/** Tool calls as HTML: what is called, with what, and the result. */
import type { ToolDisplay } from "@pikit/agent";
import type { ImageContent, TextContent } from "@pikit/ai";
import { linesOf, listEdits } from "./changed-lines.ts";
import { renderEdits, renderUnifiedDiff } from "./diff.ts";
import { escapeHtml } from "./escape.ts";
import { countLines, countOf } from "./format.ts";
import { highlightCode } from "./highlight.ts";
import { renderPlain } from "./markdown.ts";
import { renderContent, renderFolded } from "./parts.ts";

/** The parts of a tool call that are shown. The arguments may be of any shape, or incomplete. */
export interface ShownCall {
  name: string;
  arguments: Record<string, unknown>;
  argumentsError?: string | undefined;
}

/** The parts of a result that are shown. */
export interface ShownResult {
  content: readonly (TextContent | ImageContent)[];
  isError: boolean;
  details?: unknown;
  /** The text of the tool for people. */
  display?: ToolDisplay | undefined;
}

/** A call as HTML. */
export interface RenderedCall {
  /** Inline. */
  heading: string;
  body: string;
}

/** The arguments of a call as HTML. */
interface CallParts {
  /** Behind the name of the tool, such as the path. */
  object: string;
  body: string;
}

/** The arguments of a call that are of the expected type. */
interface Arguments {
  text(name: string): string | undefined;
  number(name: string): number | undefined;
  all: Record<string, unknown>;
}

/** Maximum lines of a result that is shown unfolded. */
const maxOpenLines = 12;
/** Maximum lines of a new file that are shown unfolded. */
const maxOpenFileLines = 40;

/** How the calls of a tool are shown. Undefined: as JSON, because the arguments are not as expected. */
const views: Readonly<Record<string, (args: Arguments) => CallParts | undefined>> = {
  bash: viewCommand,
  read: viewRead,
  edit: viewEdit,
  write: viewWrite,
  grep: viewSearch,
  find: viewSearch,
  ls: ({ text }) => ({ object: codeOf(text("path") ?? "."), body: "" }),
};

/**
 * Renders a call: its heading, with the tool and the file or pattern, and the rest of its arguments.
 *
 * @param text - The text of the tool about the call, which replaces its arguments.
 */
export function renderCall(call: ShownCall, text?: string): RenderedCall {
  const { object, body } = text === undefined ? viewCall(call) : { object: escapeHtml(text), body: "" };
  const name = `<span class="tool-name">${escapeHtml(call.name)}</span>`;
  const error = call.argumentsError === undefined ? "" : renderPlain(String(call.argumentsError));
  return { heading: object === "" ? name : `${name} ${object}`, body: body + error };
}

/** The diff that the result of an edit has: it has line numbers, so it replaces the body of the call. Undefined if there is none. */
export function renderResultDiff(name: string, { isError, details }: ShownResult): string | undefined {
  if (name !== "edit" || isError || typeof details !== "object" || details === null) return undefined;
  const { diff } = details as { diff?: unknown };
  return typeof diff === "string" && diff !== "" ? renderUnifiedDiff(diff) : undefined;
}

/** The result of a call: open if it is short, an error or an image. */
export function renderResult({ content, isError, display }: ShownResult, name: string): string {
  if (display?.result && !isError) return renderDisplay(display.result);
  const texts = content.map((block) => (block.type === "text" ? block.text : ""));
  const lines = texts.reduce((sum, text) => sum + countLines(text), 0);
  const hasImage = content.some((block) => block.type === "image");
  const title = isError ? "Error" : name === "bash" ? "Output" : "Result";
  // The diff says what an edit did.
  const isSaid = !isError && (name === "edit" || name === "write");
  const isOpen = isError || hasImage || (lines <= maxOpenLines && !isSaid);
  const size = lines > maxOpenLines ? `, ${countOf(lines, "line")}` : "";
  return renderFolded(`${title}${size}`, renderContent(content, renderPlain), isOpen);
}

/** The lines of a tool for people; none: the result is not shown. */
function renderDisplay(lines: readonly string[]): string {
  if (lines.length === 0) return "";
  const size = lines.length > maxOpenLines ? `, ${countOf(lines.length, "line")}` : "";
  return renderFolded(`Result${size}`, renderPlain(lines.join("\n")), lines.length <= maxOpenLines);
}

function viewCall({ name, arguments: given }: ShownCall): CallParts {
  const all = typeof given === "object" && given !== null ? given : {};
  const text = (key: string) => (typeof all[key] === "string" ? all[key] : undefined);
  const number = (key: string) => (typeof all[key] === "number" ? all[key] : undefined);
  const view = Object.hasOwn(views, name) ? views[name] : undefined;
  return view?.({ text, number, all }) ?? { object: "", body: renderArguments(all) };
}

function viewCommand({ text, number }: Arguments): CallParts | undefined {
  const command = text("command");
  if (command === undefined) return undefined;
  const timeout = number("timeout");
  const body = `<pre class="command"><code><span class="prompt">$</span> ${highlightCode(command, "bash")}</code></pre>`;
  return { object: timeout === undefined ? "" : dim(`at most ${countOf(timeout, "second")}`), body };
}

function viewRead({ text, number }: Arguments): CallParts | undefined {
  const path = text("path");
  if (path === undefined) return undefined;
  const offset = number("offset");
  const limit = number("limit");
  const first = offset ?? 1;
  const range =
    limit !== undefined
      ? dim(limit === 1 ? `line ${first}` : `lines ${first}–${first + limit - 1}`)
      : offset !== undefined
        ? dim(`from line ${offset}`)
        : "";
  return { object: range === "" ? codeOf(path) : `${codeOf(path)} ${range}`, body: "" };
}

function viewEdit({ text, all }: Arguments): CallParts | undefined {
  const path = text("path");
  const edits = listEdits(all);
  if (path === undefined || edits.length === 0) return undefined;
  const count = edits.length === 1 ? "" : ` ${dim(countOf(edits.length, "change"))}`;
  return { object: codeOf(path) + count, body: renderEdits(edits) };
}

function viewWrite({ text }: Arguments): CallParts | undefined {
  const path = text("path");
  const content = text("content");
  if (path === undefined || content === undefined) return undefined;
  const code = `<pre class="new-file"><code>${highlightCode(content, extensionOf(path))}</code></pre>`;
  const lines = linesOf(content).length;
  const body = renderFolded(`Content, ${countOf(lines, "line")}`, code, lines <= maxOpenFileLines);
  return { object: codeOf(path), body };
}

/** `grep` and `find`. */
function viewSearch({ text, all }: Arguments): CallParts | undefined {
  const pattern = text("pattern");
  if (pattern === undefined) return undefined;
  const path = text("path");
  const { pattern: _pattern, path: _path, ...others } = all;
  const options = Object.entries(others).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const parts = [
    codeOf(pattern),
    path === undefined ? "" : `in ${codeOf(path)}`,
    options.length > 0 ? dim(options.join(", ")) : "",
  ];
  return { object: parts.filter((part) => part !== "").join(" "), body: "" };
}

function renderArguments(args: Record<string, unknown>): string {
  if (Object.keys(args).length === 0) return "";
  return `<pre><code>${highlightCode(JSON.stringify(args, null, 2), "json")}</code></pre>`;
}

/** The extension of a file, as the name of a language. */
function extensionOf(path: string): string {
  return /\.(\w{1,10})$/.exec(path)?.[1] ?? "";
}

function codeOf(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

function dim(text: string): string {
  return `<span class="dim">${escapeHtml(text)}</span>`;
}
