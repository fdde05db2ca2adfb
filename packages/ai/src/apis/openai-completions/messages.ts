import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPartImage,
  ChatCompletionContentPartText,
  ChatCompletionMessageParam,
  ChatCompletionToolMessageParam,
} from "openai/resources/chat/completions";
import type { HistoryConverter, HistoryPart } from "../../history/kept-history.ts";
import { removeLoneSurrogates } from "../../surrogates.ts";
import type { AssistantMessage, ImageContent, Message, Model, TextContent, ToolResultMessage } from "../../types.ts";
import { toWireName } from "../tool-names.ts";
import { type CacheMarker, markMessage } from "./cache-markers.ts";
import type { OpenAICompat } from "./openai-compat.ts";
import { parseDetails, type ReasoningDetail } from "./reasoning-details.ts";
import { isReasoningField } from "./reasoning-field.ts";

/** The system prompt as a message, if there is any. */
export function convertSystemPrompt(prompt: string | undefined, model: Model, compat: OpenAICompat): ChatCompletionMessageParam[] {
  const content = removeLoneSurrogates(prompt ?? "");
  if (content.trim() === "") return [];
  return [{ role: model.reasoning && compat.developerRole ? "developer" : "system", content }];
}

export interface MessageOptions {
  /** Every answer gets `reasoning_content`, empty if it has none. */
  requireReasoning: boolean;
  /** The cache marker of the first message; undefined if it has none. */
  firstMarker: CacheMarker | undefined;
}

export function createConverter(compat: OpenAICompat, options: MessageOptions): HistoryConverter<ChatCompletionMessageParam> {
  const converter: HistoryConverter<ChatCompletionMessageParam> = {
    convert(messages, part) {
      const converted = convertMessages(messages, part, compat, options);
      if (part.isStart && options.firstMarker) markMessage(converted[0], options.firstMarker);
      return converted;
    },
    fork: () => converter,
  };
  return converter;
}

/** Converts a part of a prepared history. */
function convertMessages(
  messages: readonly Message[],
  { isEnd }: HistoryPart,
  compat: OpenAICompat,
  { requireReasoning }: MessageOptions,
): ChatCompletionMessageParam[] {
  const converted: ChatCompletionMessageParam[] = [];
  const pushUser = (content: string | (TextContent | ImageContent)[]) => {
    if (compat.assistantAfterToolResult && converted.at(-1)?.role === "tool") {
      converted.push({ role: "assistant", content: "I have the results." });
    }
    converted.push({ role: "user", content: typeof content === "string" ? content : content.map(convertPart) });
  };
  /** Images of the results since the last answer. They wait: a tool message holds only text, and no message may stand between two of them. */
  let images: ImageContent[] = [];
  const flushImages = () => {
    if (images.length > 0) pushUser([{ type: "text", text: "Images of the tool results:" }, ...images]);
    images = [];
  };
  for (const message of messages) {
    if (message.role === "toolResult") {
      converted.push(convertResult(message, compat));
      images.push(...message.content.filter((block) => block.type === "image"));
      continue;
    }
    flushImages();
    if (message.role === "assistant") converted.push(convertAnswer(message, compat, requireReasoning));
    else pushUser(message.content);
  }
  flushImages();
  if (isEnd && compat.endsWithUser && converted.at(-1)?.role === "assistant") pushUser("Continue.");
  return converted;
}

function convertResult(message: ToolResultMessage, { toolResultName }: OpenAICompat): ChatCompletionToolMessageParam {
  const content = message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const name = toolResultName && message.toolName !== "" ? { name: toWireName(message.toolName) } : {};
  return { role: "tool", tool_call_id: message.toolCallId, content, ...name };
}

/** The content is one plain string: models imitate a list of parts in their own text. */
function convertAnswer(
  message: AssistantMessage,
  { nullContent }: OpenAICompat,
  requireReasoning: boolean,
): ChatCompletionAssistantMessageParam {
  const texts: string[] = [];
  const calls: NonNullable<ChatCompletionAssistantMessageParam["tool_calls"]> = [];
  const reasoning: Record<string, string> = {};
  const details: ReasoningDetail[] = [];
  for (const block of message.content) {
    if (block.type === "text") {
      texts.push(block.text);
    } else if (block.type === "toolCall") {
      const name = toWireName(block.name);
      calls.push({ id: block.id, type: "function", function: { name, arguments: JSON.stringify(block.arguments) } });
    } else if (isReasoningField(block.thinkingSignature)) {
      reasoning[block.thinkingSignature] = (reasoning[block.thinkingSignature] ?? "") + block.thinking;
    } else {
      details.push(...parseDetails(block.thinkingSignature));
    }
  }
  if (requireReasoning) reasoning.reasoning_content ??= "";
  return {
    role: "assistant",
    content: texts.length > 0 ? texts.join("\n\n") : nullContent ? null : "",
    ...reasoning,
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function convertPart(block: TextContent | ImageContent): ChatCompletionContentPartText | ChatCompletionContentPartImage {
  if (block.type === "text") return { type: "text", text: block.text };
  return { type: "image_url", image_url: { url: `data:${block.mimeType};base64,${block.data}` } };
}
