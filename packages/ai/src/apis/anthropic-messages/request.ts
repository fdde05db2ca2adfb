import type {
  CacheControlEphemeral,
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  ToolChoice as ToolChoiceParam,
  Tool as ToolParam,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import type { ApiRequest } from "../../api-adapter.ts";
import {
  type ConvertedHistory,
  convertHistory,
  type HistoryPart,
  type HistoryWire,
  historyKey,
} from "../../history/kept-history.ts";
import { removeLoneSurrogates } from "../../surrogates.ts";
import type { AssistantMessage, ImageContent, Message, TextContent, Tool, ToolChoice, ToolResultMessage } from "../../types.ts";
import type { RequestWriter } from "../prepared-request.ts";
import { resolveToolChoice, toWireName } from "../tool-names.ts";
import { toObjectSchema } from "../tool-schema.ts";
import { resolveCompat } from "./compat.ts";
import { createImageFilter, hasManyImages, type ImageFilter } from "./images.ts";
import { convertThinking, maxTokensOf } from "./thinking.ts";

/** A message with its blocks. */
type AnthropicMessage = MessageParam & { content: ContentBlockParam[] };

/** The body of a request. The SDK's types lack `temperature` because they describe a newer API version than ours. */
export type AnthropicBody = MessageCreateParamsStreaming & { temperature?: number };

/** The conversion of the messages depends on the model only. */
function wireOf({ model }: ApiRequest): HistoryWire<AnthropicMessage> {
  return {
    ...{ model, rules: {}, key: historyKey(model) },
    createConverter: () => converter,
    beginsAnswer: ({ role }) => role === "assistant",
    isCrowded: hasManyImages,
  };
}

const converter = { convert: convertMessages, fork: () => converter };

/** Converts a call to the body of a Messages request. The same call gives the same bytes: prompt caches depend on it. */
function createBody(
  request: ApiRequest,
  { items, size }: ConvertedHistory<AnthropicMessage> = convertHistory(request.context.messages, wireOf(request)),
): AnthropicBody {
  const { model, context, options } = request;
  const compat = resolveCompat(model);
  const maxTokens = options.maxTokens ?? maxTokensOf(model, context, size);
  const thinking: Pick<AnthropicBody, "thinking" | "output_config"> = convertThinking(model, options.reasoning ?? "off", maxTokens);
  const isThinking = thinking.thinking !== undefined && thinking.thinking.type !== "disabled";
  const body: AnthropicBody = {
    model: model.id,
    max_tokens: maxTokens,
    messages: items,
    stream: true,
    ...thinking,
    ...(options.temperature !== undefined && !isThinking && { temperature: options.temperature }),
  };
  const system = removeLoneSurrogates(context.systemPrompt ?? "");
  if (system.trim() !== "") body.system = [{ type: "text", text: system }];
  if (context.tools?.length) body.tools = context.tools.map(convertTool);
  const choice = resolveToolChoice(options.toolChoice, context.tools);
  // With thinking the API accepts only `auto` and `none`.
  if (choice !== undefined && (choice === "none" || !isThinking)) body.tool_choice = convertToolChoice(choice);
  if (options.cacheRetention !== "none") {
    const ttl = options.cacheRetention === "long" && compat.longCache ? ({ ttl: "1h" } as const) : {};
    markForCache(body, { type: "ephemeral", ...ttl });
  }
  return body;
}

export const anthropicWriter: RequestWriter<AnthropicBody, AnthropicMessage> = { wireOf, createBody };

/** The beta features that a body uses. */
export function requiredBetas(body: AnthropicBody): string[] {
  return body.thinking?.type === "enabled" ? ["interleaved-thinking-2025-05-14"] : [];
}

function convertTool(tool: Tool): ToolParam {
  const description = removeLoneSurrogates(tool.description);
  return { name: toWireName(tool.name), description, input_schema: toObjectSchema(tool) };
}

function convertToolChoice(choice: Exclude<ToolChoice, "auto">): ToolChoiceParam {
  if (choice === "none") return { type: "none" };
  return choice === "required" ? { type: "any" } : { type: "tool", name: toWireName(choice.tool) };
}

/**
 * Converts a part of a conversation. Joins neighbouring messages of one role, so that roles alternate and the results of one turn are in one message. The API requires that
 * the first and the last message are the user's; a history that was cut, or that ends with an answer, gets a placeholder there.
 */
function convertMessages(messages: readonly Message[], { isStart, isEnd, isCrowded }: HistoryPart): AnthropicMessage[] {
  const converted: AnthropicMessage[] = [];
  const add = (role: "user" | "assistant", content: ContentBlockParam[]) => {
    const last = converted.at(-1);
    if (last?.role === role) last.content.push(...content);
    else converted.push({ role, content });
  };
  const filterImage = createImageFilter(isCrowded);
  if (isStart && messages[0]?.role === "assistant")
    add("user", [{ type: "text", text: "(The beginning of this conversation is not shown.)" }]);
  for (const message of messages) {
    if (message.role === "assistant") add("assistant", convertAnswer(message));
    else if (message.role === "toolResult") add("user", [convertResult(message, filterImage)]);
    else add("user", convertInput(message.content, filterImage));
  }
  if (isEnd && converted.at(-1)?.role === "assistant") add("user", [{ type: "text", text: "Continue." }]);
  return converted;
}

/** Puts the calls last, because their results must follow them directly. */
function convertAnswer(message: AssistantMessage): ContentBlockParam[] {
  const blocks: ContentBlockParam[] = [];
  const calls: ContentBlockParam[] = [];
  for (const block of message.content) {
    if (block.type === "toolCall") {
      calls.push({ type: "tool_use", id: block.id, name: toWireName(block.name), input: block.arguments });
    } else if (block.type === "text") {
      // The API rejects trailing white space in an answer.
      blocks.push({ type: "text", text: block.text.trimEnd() });
    } else if (block.redacted) {
      blocks.push({ type: "redacted_thinking", data: block.thinkingSignature ?? "" });
    } else {
      blocks.push({ type: "thinking", thinking: block.thinking, signature: block.thinkingSignature ?? "" });
    }
  }
  return [...blocks, ...calls];
}

/** The API accepts no image in the result of a failed call. */
function convertResult(message: ToolResultMessage, filterImage: ImageFilter): ToolResultBlockParam {
  const content = message.isError ? message.content.map(imageToNote) : message.content;
  return {
    type: "tool_result",
    tool_use_id: message.toolCallId,
    content: convertInput(content, filterImage),
    ...(message.isError && { is_error: true }),
  };
}

function imageToNote(block: TextContent | ImageContent): TextContent {
  return block.type === "text" ? block : { type: "text", text: "[An image was here.]" };
}

function convertInput(
  content: string | readonly (TextContent | ImageContent)[],
  filterImage: ImageFilter,
): (TextBlockParam | ImageBlockParam)[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map(filterImage).map((block) => {
    if (block.type === "text") return { type: "text", text: block.text };
    const media_type = block.mimeType as "image/png";
    return { type: "image", source: { type: "base64", media_type, data: block.data } };
  });
}

/** Adds a cache marker at the end of each part that stays the same from call to call: tools, system prompt, conversation. */
function markForCache(body: AnthropicBody, cache_control: CacheControlEphemeral): void {
  const lastMessage = body.messages.at(-1);
  const lastTool = body.tools?.at(-1);
  const lastSystem = Array.isArray(body.system) ? body.system.at(-1) : undefined;
  if (lastTool) Object.assign(lastTool, { cache_control });
  if (lastSystem) lastSystem.cache_control = cache_control;
  if (lastMessage?.role !== "user" || typeof lastMessage.content === "string") return;
  const lastBlock = lastMessage.content.at(-1);
  if (lastBlock) Object.assign(lastBlock, { cache_control });
}
