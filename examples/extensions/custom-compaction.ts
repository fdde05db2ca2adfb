// Summarises older messages without asking a model: it costs nothing, takes no time, and keeps the user's words as they were written,
// with the files that were changed. A compaction with instructions (`/compact look at …`) is left to the model.
import type { AgentMessage } from "@pikit/agent";
import type { ExtensionApi } from "@pikit/coding-agent";

/** Characters of each message that are kept. */
const maxLength = 500;

export default function (pi: ExtensionApi): void {
  pi.on("before_compaction", ({ messages, previousSummary, instructions }) => {
    if (instructions !== undefined) return;
    const requests = messages.flatMap((message) => (message.role === "user" ? [`- ${shorten(textOf(message.content))}`] : []));
    const answer = messages.findLast((message) => message.role === "assistant" && textOf(message.content) !== "");
    const files = [...new Set(messages.flatMap(changedFiles))].map((path) => `- ${path}`);
    const parts = [
      previousSummary,
      section("The user asked, in this order:", requests),
      section("Files that were edited or written:", files),
      section("Your last answer:", answer?.role === "assistant" ? [shorten(textOf(answer.content))] : []),
    ];
    return { summary: parts.filter((part) => part !== undefined).join("\n\n") };
  });
}

function section(title: string, lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : [title, ...lines].join("\n");
}

function textOf(content: string | readonly { type: string; text?: string }[]): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

function shorten(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

function changedFiles(message: AgentMessage): string[] {
  if (message.role !== "assistant") return [];
  return message.content.flatMap((block) =>
    block.type === "toolCall" && (block.name === "edit" || block.name === "write") ? [String(block.arguments.path)] : [],
  );
}
