import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/sdk/types.js";
import { type AgentToolResult, ToolError } from "@pikit/agent";
import { cutDeep, type ImageContent } from "@pikit/ai";
import { formatSize } from "../tools/output/truncate.ts";
import { limitText } from "./limit-text.ts";

/** Maximum images of a result. */
const maxImages = 10;
/** Maximum characters of structured content in the details. */
const maxStructuredLength = 50 * 1024;

/** Details of a call for user interfaces. */
export interface McpToolDetails {
  server: string;
  tool: string;
  /** The server's structured content; absent if it is large. */
  structuredContent?: Record<string, unknown>;
  truncated: boolean;
  /** Only if truncated: the file with the whole text. */
  fullOutputPath?: string;
}

export interface ResultSource {
  server: string;
  tool: string;
  signal: AbortSignal;
}

/**
 * Converts the result of a server: all texts, in order and within the limits of all tools, then the images, converted for all providers.
 * Structured content is shown as JSON if the result has no text.
 *
 * @throws {ToolError} `mcp_tool_error` if the server reports that the call failed.
 */
export async function toToolResult(
  { content, structuredContent: whole, isError }: CallToolResult,
  { server, tool, signal }: ResultSource,
): Promise<AgentToolResult<McpToolDetails>> {
  const structuredContent = cutDeep(whole);
  const images: ImageContent[] = [];
  const texts: string[] = [];
  for (const block of content) {
    const image = imageOf(block);
    if (image) texts.push(await showImage(image, images, signal));
    else texts.push(describeBlock(block));
  }
  const json = structuredContent && JSON.stringify(structuredContent, undefined, 1);
  if (json !== undefined && !content.some(({ type }) => type === "text")) texts.push(json);
  const { text, ...limited } = await limitText(texts.filter((part) => part !== "").join("\n\n"));
  const isSmall = json !== undefined && json.length <= maxStructuredLength;
  const details = { server, tool, ...(isSmall ? { structuredContent } : {}), ...limited } as McpToolDetails;
  if (isError) throw new ToolError("mcp_tool_error", text === "" ? `${tool} failed without an error message.` : text, { details });
  return { content: [{ type: "text", text: text === "" ? "(no output)" : text }, ...images], details };
}

function imageOf(block: ContentBlock): ImageContent | undefined {
  if (block.type === "image") return { type: "image", data: block.data, mimeType: block.mimeType };
  if (block.type !== "resource" || !("blob" in block.resource)) return undefined;
  const { blob, mimeType } = block.resource;
  return mimeType?.startsWith("image/") ? { type: "image", data: blob, mimeType } : undefined;
}

async function showImage(content: ImageContent, images: ImageContent[], signal: AbortSignal): Promise<string> {
  if (images.length === maxImages) return `[image: not shown, because the limit is ${maxImages}]`;
  const { prepareImageContent } = await import("../tools/images/prepare-image.ts");
  const { image, description } = await prepareImageContent(content, { signal });
  if (image) images.push(image);
  return `[image${image ? ` ${images.length}` : ""}: ${description}]`;
}

function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource":
      if ("text" in block.resource) return `${block.resource.uri}\n${block.resource.text}`;
      return `[${block.resource.uri}: ${describeBinary(block.resource.mimeType, block.resource.blob)}]`;
    case "resource_link": {
      const { uri, name, description } = block;
      return [`[resource ${name}: ${uri}]`, description].filter((part) => part !== undefined).join("\n");
    }
    case "audio":
      return `[${describeBinary(block.mimeType, block.data)}]`;
    case "image":
      return ""; // shown as an image
  }
}

function describeBinary(mimeType = "binary data", base64: string): string {
  return `${mimeType}, ${formatSize(Buffer.byteLength(base64, "base64"))}; it cannot be shown`;
}
