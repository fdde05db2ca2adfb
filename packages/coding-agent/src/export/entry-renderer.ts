import type { AgentMessage } from "@pikit/agent";
import type { AssistantMessage, ToolCall } from "@pikit/ai";
import type { SessionEntry } from "../conversation/entries.ts";
import { StatsCounter } from "../conversation/stats.ts";
import { escapeHtml } from "../render/escape.ts";
import { renderMarkdown, renderPlain } from "../render/markdown.ts";
import { type Article, describeMessage, describeSummary, renderAnswerEnd } from "../render/message.ts";
import { renderContent, renderFolded, renderThinking, renderTime } from "../render/parts.ts";
import { type RenderedCall, renderCall, renderResult, renderResultDiff } from "../render/tool-call.ts";

type ResultMessage = Extract<AgentMessage, { role: "toolResult" }>;

/** A call, and its result if it has come. */
interface Call {
  call: ToolCall;
  rendered: RenderedCall;
  result?: ResultMessage;
}

/** A part of an answer from its first call on: text as HTML, or a call. */
type Part = string | Call;

/**
 * Renders the entries of a branch, one after another. A call is rendered when its result comes, which is one of the next entries. So memory
 * holds the calls of one answer at most: those without a result are rendered when the next prompt or answer begins.
 */
export class EntryRenderer {
  /** The parts of the latest answer from its first call without a result on. */
  #waiting: Part[] = [];
  readonly #stats = new StatsCounter();

  /** Counts the entries so far. */
  get stats(): StatsCounter {
    return this.#stats;
  }

  /** Renders an entry as HTML, and parts that waited for it; empty if nothing of it is shown yet. */
  add(entry: SessionEntry, label: string | undefined): string {
    try {
      const html = this.#render(entry, label);
      this.#stats.add(entry);
      return html;
    } catch {
      // Another program wrote the message with a different shape: show its JSON.
      const body = renderFolded(String(entry.type), renderPlain(JSON.stringify(entry, null, 2)));
      return this.end() + renderArticle(entry, label, { heading: "Entry", body });
    }
  }

  /** Renders the calls that have no result. */
  end(): string {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting.map(renderPart).join("");
  }

  #render(entry: SessionEntry, label: string | undefined): string {
    const message = entry.type === "message" ? entry.message : undefined;
    if (message?.role === "toolResult") return this.#addResult(entry, label, message);
    if (message?.role === "assistant") {
      const [head, parts] = splitAnswer(message);
      const html = this.end() + renderArticle(entry, label, head);
      this.#waiting = parts;
      return html + this.#takeReady();
    }
    const article = describeEntry(entry);
    if (!article) return "";
    return (message?.role === "user" ? this.end() : "") + renderArticle(entry, label, article);
  }

  #addResult(entry: SessionEntry, label: string | undefined, result: ResultMessage): string {
    // Called first: a result of a wrong shape must fail here, and not when the part is rendered.
    const body = renderResult(result, result.toolName);
    const open = this.#waiting.filter(isOpen).find(({ call }) => call.id === result.toolCallId);
    if (open && label === undefined) {
      open.result = result;
      return this.#takeReady();
    }
    const article: Article = { heading: `Result of ${result.toolName}`, body, kind: result.isError ? "error" : "tool" };
    return renderArticle(entry, label, article);
  }

  /** Renders the parts up to the first call without a result. */
  #takeReady(): string {
    const open = this.#waiting.findIndex(isOpen);
    return this.#waiting
      .splice(0, open === -1 ? this.#waiting.length : open)
      .map(renderPart)
      .join("");
  }
}

/** Splits an answer into its texts up to the first call, with its model and failure, and the parts from that call on. */
function splitAnswer(message: AssistantMessage): [Article, Part[]] {
  const texts: string[] = [];
  const parts: Part[] = [];
  for (const block of message.content) {
    if (block.type === "toolCall") {
      parts.push({ call: block, rendered: renderCall(block) });
    } else if (block.type === "text" || block.type === "thinking") {
      const html = block.type === "text" ? renderMarkdown(block.text) : renderThinking(block);
      if (parts.length === 0) texts.push(html);
      else parts.push(html);
    }
  }
  const hasFailed = message.stopReason === "error" || message.stopReason === "aborted";
  const body = [...texts, renderAnswerEnd(message)].join("\n");
  return [{ heading: "Assistant", body, kind: hasFailed ? "error" : "assistant" }, parts];
}

function isOpen(part: Part): part is Call {
  return typeof part !== "string" && part.result === undefined;
}

function renderPart(part: Part): string {
  if (typeof part === "string") return `<article class="assistant">\n${part}\n</article>\n`;
  const { call, result } = part;
  const text = result?.display?.call;
  const rendered = text === undefined ? part.rendered : renderCall(call, text);
  const body = (result && renderResultDiff(result.toolName, result)) ?? rendered.body;
  const outcome = result ? renderResult(result, result.toolName) : '<p class="dim">No result</p>';
  const lines = [`<h2>${rendered.heading}</h2>`, body, outcome].filter((html) => html !== "");
  return `<article class="${result?.isError ? "error" : "tool"}">\n${lines.join("\n")}\n</article>\n`;
}

function renderArticle({ id, timestamp }: SessionEntry, label: string | undefined, { heading, body, kind }: Article): string {
  const labelled = label === undefined ? "" : ` <span class="label">${escapeHtml(label)}</span>`;
  const attributes = `id="entry-${escapeHtml(String(id))}"${kind ? ` class="${kind}"` : ""}`;
  return `<article ${attributes}>\n<h2>${escapeHtml(heading)} ${renderTime(timestamp)}${labelled}</h2>\n${body}\n</article>\n`;
}

/** Describes an entry that is neither an answer nor a result. Undefined: it is not shown. */
function describeEntry(entry: SessionEntry): Article | undefined {
  switch (entry.type) {
    case "message": {
      const { message } = entry;
      return message.role === "assistant" || message.role === "toolResult" ? undefined : describeMessage(message);
    }
    case "custom_message":
      return entry.display ? { heading: entry.customType, body: renderContent(entry.content, renderMarkdown) } : undefined;
    case "compaction":
      return describeSummary("Earlier conversation, as a summary", entry.summary);
    case "branch_summary":
      return describeSummary("Another branch, as a summary", entry.summary);
    case "model_change":
      return { heading: `Model: ${entry.provider}/${entry.modelId}`, body: "" };
    case "thinking_level_change":
      return { heading: `Thinking: ${entry.thinkingLevel}`, body: "" };
    default:
      // Data of extensions, names, labels, and entry types of newer programs.
      return undefined;
  }
}
