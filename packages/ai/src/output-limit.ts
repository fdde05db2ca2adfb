import { cutDeep } from "./nesting.ts";
import type { Context, Message, Model } from "./types.ts";

/** Tokens for the overhead of the wire and the error of the estimate. */
const reserve = 4096;
/** UTF-8 bytes per token, roughly: 4 for English, for JSON and for most other scripts. */
const bytesPerToken = 4;
/** Tokens of an image; vendors count between 100 and 1,600. */
const imageTokens = 1200;

/** The size of messages, from which their tokens are estimated. */
export interface MessageSize {
  /** UTF-8 bytes of the texts, and of the names and arguments of calls. */
  bytes: number;
  images: number;
}

/**
 * The maximum tokens of an answer when the caller sets none: the model's limit, but at most the free part of the context window, because
 * many servers reject a request whose prompt and answer together could exceed it.
 *
 * @param size - The size of the context's messages. Default: measured here.
 * @returns At least 1; undefined when the model's limit is not known.
 */
export function defaultMaxTokens(model: Model, context: Context, size?: MessageSize): number | undefined {
  if (model.maxTokens <= 0) return undefined;
  if (model.contextWindow <= 0) return model.maxTokens;
  return Math.max(1, Math.min(model.maxTokens, model.contextWindow - estimatePromptTokens(context, size) - reserve));
}

/**
 * Estimates the tokens of a context.
 *
 * @param size - The size of its messages. Default: measured here, in a time that is linear in their length.
 */
export function estimatePromptTokens(
  { systemPrompt = "", messages, tools = [] }: Context,
  size: MessageSize = measureMessages(messages),
): number {
  const bytes = byteLength(systemPrompt) + (tools.length > 0 ? byteLength(JSON.stringify(tools)) : 0) + size.bytes;
  return Math.ceil(bytes / bytesPerToken) + size.images * imageTokens;
}

/** Measures messages. The sizes of two lists add up to that of both. */
export function measureMessages(messages: readonly Message[]): MessageSize {
  let bytes = 0;
  let images = 0;
  for (const { content } of messages) {
    if (typeof content === "string") {
      bytes += byteLength(content);
      continue;
    }
    for (const block of content) {
      if (block.type === "image") images += 1;
      else if (block.type === "text") bytes += byteLength(block.text);
      else if (block.type === "thinking") bytes += byteLength(block.thinking);
      else if (block.type === "toolCall")
        bytes += byteLength(block.name) + byteLength(JSON.stringify(cutDeep(block.arguments ?? {})));
    }
  }
  return { bytes, images };
}

/** Accepts any value, because messages of stored sessions may lack a text. */
function byteLength(text: unknown): number {
  return typeof text === "string" ? Buffer.byteLength(text, "utf8") : 0;
}
