import type { AgentMessage } from "@pikit/agent";
import type { AssistantMessage, ImageContent, TextContent } from "@pikit/ai";
import type { SessionEntry } from "../conversation/entries.ts";
import { escapeHtml } from "./escape.ts";
import { highlightCode } from "./highlight.ts";
import { renderMarkdown, renderPlain } from "./markdown.ts";

/** The rendering of an entry: a heading and an HTML body. */
interface Article {
  heading: string;
  body: string;
  kind?: "user" | "error" | undefined;
}

const imageTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Renders an entry as HTML; empty for an entry without visible content. */
export function renderEntry(entry: SessionEntry, label: string | undefined): string {
  const article = tryToArticle(entry);
  if (!article) return "";
  const { heading, body, kind } = article;
  const labelled = label === undefined ? "" : ` <span class="label">${escapeHtml(label)}</span>`;
  const time = `<time>${escapeHtml(String(entry.timestamp))}</time>`;
  const attributes = `id="entry-${escapeHtml(String(entry.id))}"${kind ? ` class="${kind}"` : ""}`;
  return `<article ${attributes}>\n<h2>${escapeHtml(heading)} ${time}${labelled}</h2>\n${body}\n</article>\n`;
}

function tryToArticle(entry: SessionEntry): Article | undefined {
  try {
    return toArticle(entry);
  } catch {
    // Another program wrote the message with a different shape: show its JSON.
    return { heading: "Entry", body: folded(String(entry.type), renderPlain(JSON.stringify(entry, null, 2))) };
  }
}

function toArticle(entry: SessionEntry): Article | undefined {
  switch (entry.type) {
    case "message":
      return describeMessage(entry.message);
    case "custom_message":
      return entry.display ? { heading: entry.customType, body: renderContent(entry.content, renderMarkdown) } : undefined;
    case "compaction":
      return { heading: "Earlier conversation, as a summary", body: folded("Summary", renderMarkdown(entry.summary)) };
    case "branch_summary":
      return { heading: "Another branch, as a summary", body: folded("Summary", renderMarkdown(entry.summary)) };
    case "model_change":
      return { heading: `Model: ${entry.provider}/${entry.modelId}`, body: "" };
    case "thinking_level_change":
      return { heading: `Thinking: ${entry.thinkingLevel}`, body: "" };
    default:
      // Data of extensions, names, labels, and entry types of newer programs.
      return undefined;
  }
}

function describeMessage(message: AgentMessage): Article | undefined {
  switch (message.role) {
    case "user": {
      const names = (message.attachments ?? []).map(({ fileName }) => `<p class="dim">Attached: ${escapeHtml(fileName)}</p>`);
      return { heading: "User", body: renderContent(message.content, renderPlain) + names.join(""), kind: "user" };
    }
    case "assistant":
      return describeAnswer(message);
    case "toolResult": {
      const body = folded(message.isError ? "Error" : "Result", renderContent(message.content, renderPlain), message.isError);
      return { heading: `Tool: ${message.toolName}`, body, kind: message.isError ? "error" : undefined };
    }
    case "bashExecution": {
      const { command, output, exitCode, cancelled } = message;
      const outcome = cancelled ? "cancelled" : exitCode === 0 ? "Output" : `Output, exit code ${exitCode}`;
      return { heading: "Command of the user", body: renderPlain(`$ ${command}`) + folded(outcome, renderPlain(output)) };
    }
    case "custom":
      return message.display ? { heading: message.customType, body: renderContent(message.content, renderMarkdown) } : undefined;
    case "branchSummary":
    case "compactionSummary":
      return { heading: "Summary", body: folded("Summary", renderMarkdown(message.summary)) };
    default:
      // A role of a newer program.
      return undefined;
  }
}

function describeAnswer({ content, provider, model, usage, stopReason, errorMessage }: AssistantMessage): Article {
  const blocks = content.map((block) => {
    switch (block.type) {
      case "text":
        return renderMarkdown(block.text);
      case "thinking":
        return folded("Thinking", block.redacted ? renderPlain("(hidden by the provider)") : renderPlain(block.thinking));
      case "toolCall": {
        const args = highlightCode(JSON.stringify(block.arguments, null, 2), "json");
        return `<p>Calls <code>${escapeHtml(block.name)}</code></p>\n<pre><code>${args}</code></pre>`;
      }
      default:
        // A block type of a newer program.
        return "";
    }
  });
  const hasFailed = stopReason === "error" || stopReason === "aborted";
  if (hasFailed) blocks.push(renderPlain(errorMessage ?? stopReason));
  const cost = usage.cost.total > 0 ? `, $${usage.cost.total.toFixed(4)}` : "";
  blocks.push(`<p class="dim">${escapeHtml(`${provider}/${model}, ${usage.totalTokens} tokens${cost}`)}</p>`);
  return { heading: "Assistant", body: blocks.join("\n"), kind: hasFailed ? "error" : undefined };
}

function renderContent(content: string | readonly (TextContent | ImageContent)[], renderText: (text: string) => string): string {
  if (typeof content === "string") return renderText(content);
  return content.map((block) => (block.type === "text" ? renderText(block.text) : renderImage(block))).join("\n");
}

function renderImage({ data, mimeType }: ImageContent): string {
  const isShown = imageTypes.has(mimeType) && /^[A-Za-z0-9+/=]*$/.test(data);
  if (!isShown) return `<p class="dim">Image of the type ${escapeHtml(mimeType)}</p>`;
  return `<img alt="image" src="data:${mimeType};base64,${data}">`;
}

function folded(summary: string, body: string, isOpen = false): string {
  return `<details${isOpen ? " open" : ""}><summary>${escapeHtml(summary)}</summary>\n${body}\n</details>`;
}
