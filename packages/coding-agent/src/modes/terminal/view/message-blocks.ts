import type { AgentMessage, KeptAttachment, UserMessageWithAttachments } from "@pikit/agent";
import type { ImageContent, TextContent } from "@pikit/ai";
import { formatSize } from "../../../tools/output/truncate.ts";
import { type Block, finishedBlock } from "../block.ts";
import { count, cutLine, groupDigits, toSafeLine, toSafeText, wrap } from "../lines.ts";
import type { Theme } from "../theme/theme.ts";
import type { ViewOptions } from "./answer-view.ts";
import { drawImage, imageLabel, renderImageLabel } from "./images.ts";
import { firstLines } from "./some-lines.ts";
import { TextBlock } from "./text-block.ts";

/** Maximum number of lines that are shown of a message of the user, such as one with a long pasted text. */
const shownLines = 40;

type UserBlockOptions = Pick<ViewOptions, "theme" | "transformMarkdown">;

/** A message of the user, with its images. */
export function userBlock(message: UserMessageWithAttachments, { theme, transformMarkdown }: UserBlockOptions): Block {
  const own = textsOf(message.content);
  const context = { messageType: "user", isStreaming: false, availableWidth: process.stdout.columns || 80 } as const;
  const texts = transformMarkdown ? transformMarkdown(own, context) : own;
  const images = imagesOf(message.content);
  const labels = [
    ...images.map((image, index) => imageLabel(image, index + 1)),
    ...(message.attachments ?? []).filter(({ type }) => type === "document").map(attachmentLabel),
  ];
  const render = (width: number) => {
    const lines = foldedLines(texts, width - 2, theme);
    lines.push(...labels.map((label) => renderImageLabel(label, width - 2, theme)));
    return lines.map((line, index) => (index === 0 ? `${theme.accent("›")} ${line}`.trimEnd() : line === "" ? "" : `  ${line}`));
  };
  return withImages(render, images);
}

function foldedLines(text: string, width: number, theme: Theme): string[] {
  const { lines, left } = firstLines(text.trim(), shownLines);
  const shown = lines.flatMap((line) => wrap(toSafeText(line).trimEnd(), width, theme.accent));
  if (left > 0) shown.push(theme.dim(`… ${count(left, "more line")}`));
  return shown;
}

function attachmentLabel({ fileName, size }: KeptAttachment): string {
  return `[${toSafeLine(fileName)}, ${formatSize(size)}]`;
}

/** A message of an extension, as Markdown. */
export function customBlock(text: string, theme: Theme): Block {
  const block = new TextBlock(theme);
  block.add(text.replace(/^\s*\n/, ""));
  block.end();
  return block;
}

/** A summary that stands for a part of the conversation: one line. */
export function summaryBlock(message: Extract<AgentMessage, { role: "compactionSummary" | "branchSummary" }>, theme: Theme): Block {
  const size = formatSize(Buffer.byteLength(message.summary));
  const text =
    message.role === "compactionSummary"
      ? `Summary of the conversation before (${groupDigits(message.tokensBefore)} tokens): ${size}`
      : `Summary of a branch that was left: ${size}`;
  return noteBlock(text, theme);
}

/** A note about the work itself, in one or more lines. */
export function noteBlock(text: string, theme: Theme, kind: "info" | "warning" | "error" = "info"): Block {
  const style = kind === "info" ? theme.dim : theme[kind];
  return finishedBlock((width) => wrap(toSafeText(text.slice(0, 20_000)), width, style));
}

/** One line, cut to the width. */
export function lineBlock(text: string, theme: Theme): Block {
  return finishedBlock((width) => [theme.dim(cutLine(toSafeLine(text), width))]);
}

/** A finished block with images below its lines; they are drawn only when the block is printed. */
function withImages(render: (width: number) => string[], images: readonly ImageContent[]): Block {
  const block = finishedBlock(render);
  return {
    isDone: true,
    takeFinished(width) {
      const lines = block.takeFinished(width);
      return lines.length === 0 ? [] : [...lines, ...images.flatMap((image) => drawImage(image, width) ?? [])];
    },
    render: (width) => block.render(width),
  };
}

function textsOf(content: string | readonly (TextContent | ImageContent)[]): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function imagesOf(content: string | readonly (TextContent | ImageContent)[]): ImageContent[] {
  return typeof content === "string" ? [] : content.filter((block) => block.type === "image");
}
