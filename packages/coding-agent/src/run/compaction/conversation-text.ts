import type { AgentMessage } from "@pikit/agent";
import type { ImageContent, TextContent } from "@pikit/ai";
import { isFailed } from "../../conversation/compaction-summary.ts";
import { toModelMessages } from "../../conversation/messages.ts";

/** Maximum characters of a tool result, of the arguments of a call, and of thinking. */
export const longestOutput = 2000;

/** The names of all elements in requests and summaries. */
const elements =
  "conversation|previous-summary|message|thinking|call|result|focus|summary|open-request|read-files|modified-files|omitted";
const imitation = new RegExp(`<(?=[\\s/]*(?:${elements})\\b)`, "gi");

/** Escapes everything in a text that looks like the tag of one of these elements. */
function escapeElements(text: string): string {
  return text.replace(imitation, "&lt;");
}

/**
 * A message as text in an element. Its content cannot end the element. Empty if the message is never sent to a model.
 *
 * @param longest - Maximum characters of results, arguments and thinking. Default: `longestOutput`.
 */
export function writeMessage(message: AgentMessage, longest = longestOutput): string {
  if (isFailed(message)) return "";
  const [shown] = toModelMessages([message]);
  switch (shown?.role) {
    case "user":
      return element("message", ' from="user"', textOf(shown.content));
    case "toolResult": {
      const attributes = ` of="${nameOf(shown.toolName)}"${shown.isError ? ' failed="true"' : ""}`;
      return element("result", attributes, shorten(textOf(shown.content), longest));
    }
    case "assistant": {
      const parts = shown.content.map((block) => {
        if (block.type === "text") return escapeElements((block.text ?? "").trim());
        if (block.type === "thinking") return element("thinking", "", shorten((block.thinking ?? "").trim(), longest));
        // A message that another program stored may have further block types.
        if (block.type !== "toolCall") return "";
        return element("call", ` of="${nameOf(block.name)}"`, shorten(JSON.stringify(block.arguments ?? {}), longest));
      });
      const text = parts.filter((part) => part !== "").join("\n");
      return text === "" ? "" : `<message from="assistant">\n${text}\n</message>`;
    }
    default:
      return "";
  }
}

/** Shortens a text to about `longest` characters: its beginning, a note about the missing part, and its end. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const head = Math.ceil((longest * 2) / 3);
  const start = text.slice(0, head).replace(/[\ud800-\udbff]$/, "");
  const end = text.slice(text.length - (longest - head)).replace(/^[\udc00-\udfff]/, "");
  return `${start}\n[… ${text.length - longest} characters left out …]\n${end}`;
}

/** An element with a text, which cannot end the element. Empty without text. */
export function element(name: string, attributes: string, text: string): string {
  return text.trim() === "" ? "" : `<${name}${attributes}>\n${escapeElements(text)}\n</${name}>`;
}

/** The text of message content, with a note for each image. */
export function textOf(content: string | readonly (TextContent | ImageContent)[]): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "[an image]")).join("\n");
}

function nameOf(tool: string): string {
  return tool.replace(/[^\w.:-]/g, "_");
}
