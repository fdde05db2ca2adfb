/** Messages as HTML, except for tool calls and their results; see tool-call.ts. */
import type { AgentMessage } from "@pikit/agent";
import type { AssistantMessage } from "@pikit/ai";
import { escapeHtml } from "./escape.ts";
import { countOf, formatCost } from "./format.ts";
import { renderMarkdown, renderPlain } from "./markdown.ts";
import { renderContent, renderFolded } from "./parts.ts";

/** The rendering of a message: a heading, which is text, and an HTML body. */
export interface Article {
  heading: string;
  body: string;
  kind?: "user" | "assistant" | "tool" | "error" | undefined;
}

/** The messages that stand alone. */
type PlainMessage = Exclude<AgentMessage, { role: "assistant" | "toolResult" }>;

/** Describes a message that is neither an answer nor a result. Undefined: it is not shown, or its role is of a newer program. */
export function describeMessage(message: PlainMessage): Article | undefined {
  switch (message.role) {
    case "user": {
      const names = (message.attachments ?? []).map(({ fileName }) => `<p class="dim">Attached: ${escapeHtml(fileName)}</p>`);
      return { heading: "User", body: renderContent(message.content, renderPlain) + names.join(""), kind: "user" };
    }
    case "bashExecution": {
      const { command, output, exitCode, cancelled } = message;
      const outcome = cancelled ? "Output, cancelled" : exitCode === 0 ? "Output" : `Output, exit code ${exitCode}`;
      const body = renderCommand(command) + renderFolded(outcome, renderPlain(output), output.length < 2000);
      return { heading: "Command of the user", body, kind: "tool" };
    }
    case "custom":
      return message.display ? { heading: message.customType, body: renderContent(message.content, renderMarkdown) } : undefined;
    case "branchSummary":
      return describeSummary("Another branch, as a summary", message.summary);
    case "compactionSummary":
      return describeSummary("Earlier conversation, as a summary", message.summary);
    default:
      return undefined;
  }
}

/** Describes a summary of messages that are not shown. */
export function describeSummary(heading: string, summary: string): Article {
  return { heading, body: renderFolded("Summary", renderMarkdown(summary)) };
}

/** A shell command of the user. */
function renderCommand(command: string): string {
  return `<pre class="command"><code><span class="prompt">$</span> ${escapeHtml(command)}</code></pre>`;
}

/** The end of an answer: its failure if it has one, its model and its usage. */
export function renderAnswerEnd({ provider, model, usage, stopReason, errorMessage }: AssistantMessage): string {
  const hasFailed = stopReason === "error" || stopReason === "aborted";
  const failure = hasFailed ? `<div class="failure">${renderPlain(errorMessage ?? stopReason)}</div>\n` : "";
  const cost = usage.cost.total > 0 ? `, ${formatCost(usage.cost.total)}` : "";
  const facts = `${provider}/${model}, ${countOf(usage.totalTokens, "token")}${cost}`;
  return `${failure}<p class="dim">${escapeHtml(facts)}</p>`;
}
