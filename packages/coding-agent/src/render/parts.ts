/** The parts that messages and tool calls are rendered with. Everything that is called HTML here is a string of safe HTML. */
import type { ImageContent, TextContent } from "@pikit/ai";
import { escapeHtml } from "./escape.ts";
import { formatTime, toIsoTime } from "./format.ts";
import { renderPlain } from "./markdown.ts";

/** The content of a message: text, or texts and images. */
export type Content = string | readonly (TextContent | ImageContent)[];

/** The types of images that models accept, and that are shown. */
export const imageTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Renders the content of a message. @param renderText - Renders each of its texts as HTML. */
export function renderContent(content: Content, renderText: (text: string) => string): string {
  if (typeof content === "string") return renderText(content);
  return content.map((block) => (block.type === "text" ? renderText(block.text) : renderImage(block))).join("\n");
}

/** Renders an image of a known type; for another one, renders its type. */
function renderImage({ data, mimeType }: Pick<ImageContent, "data" | "mimeType">): string {
  const isShown = imageTypes.has(mimeType) && /^[A-Za-z0-9+/=]*$/.test(data);
  if (!isShown) return `<p class="dim">Image of the type ${escapeHtml(String(mimeType))}</p>`;
  return `<img alt="image" src="data:${mimeType};base64,${data}">`;
}

/** Renders content that the reader can open and close. @param body - HTML. */
export function renderFolded(summary: string, body: string, isOpen = false): string {
  return `<details${isOpen ? " open" : ""}><summary>${escapeHtml(summary)}</summary>\n${body}\n</details>`;
}

/** Renders the thinking of a model, folded. */
export function renderThinking({ thinking, redacted }: { thinking: string; redacted?: boolean | undefined }): string {
  return renderFolded("Thinking", renderPlain(redacted ? "(hidden by the provider)" : thinking));
}

/**
 * Renders a time for readers and for programs.
 *
 * @param time - Milliseconds since 1970, or ISO 8601. Other text is shown as it is.
 * @param format - Default: the time in UTC.
 */
export function renderTime(time: unknown, format: (date: Date) => string = formatTime): string {
  const iso = toIsoTime(time);
  if (iso === undefined) return `<time>${escapeHtml(String(time))}</time>`;
  return `<time datetime="${iso}">${escapeHtml(format(new Date(iso)))}</time>`;
}
