import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPartImage,
  ChatCompletionContentPartText,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from "openai/resources/chat/completions";
import type { ApiRequest } from "../../api-registry.ts";
import { prepareHistory } from "../../history.ts";
import { removeLoneSurrogates } from "../../surrogates.ts";
import type {
  AssistantMessage,
  ImageContent,
  Message,
  Model,
  StreamOptions,
  TextContent,
  Tool,
  ToolResultMessage,
} from "../../types.ts";
import { type OpenAICompat, resolveCompat } from "./compat.ts";
import { isReasoningField } from "./reasoning-field.ts";

/** The longest cache key that the API takes, in characters. */
const maxCacheKeyLength = 64;

/** Converts a call to the body of a Chat Completions request. Pure: the same call gives the same bytes. */
export function createBody({ model, context, options }: ApiRequest): ChatCompletionCreateParamsStreaming {
  const compat = resolveCompat(model);
  const body: ChatCompletionCreateParamsStreaming = {
    model: model.id,
    messages: [
      ...convertSystemPrompt(context.systemPrompt, model, compat),
      ...convertMessages(prepareHistory(context.messages, model)),
    ],
    stream: true,
    ...convertReasoning(model, options, compat),
  };
  if (compat.includeUsage) body.stream_options = { include_usage: true };
  if (context.tools?.length) body.tools = context.tools.map(convertTool);
  if (options.maxTokens !== undefined) body[compat.maxTokensField] = options.maxTokens;
  if (options.temperature !== undefined) body.temperature = options.temperature;
  if (compat.promptCacheKey) {
    body.store = false;
    if (options.sessionId && options.cacheRetention !== "none")
      body.prompt_cache_key = options.sessionId.slice(0, maxCacheKeyLength);
  }
  return body;
}

function convertSystemPrompt(prompt: string | undefined, model: Model, compat: OpenAICompat): ChatCompletionMessageParam[] {
  const content = removeLoneSurrogates(prompt ?? "");
  if (content.trim() === "") return [];
  return [{ role: model.reasoning && compat.developerRole ? "developer" : "system", content }];
}

function convertReasoning(
  model: Model,
  { reasoning = "off" }: StreamOptions,
  compat: OpenAICompat,
): Pick<ChatCompletionCreateParamsStreaming, "reasoning_effort"> {
  if (!model.reasoning || !compat.reasoningEffort) return {};
  const efforts = { off: compat.effortOff, minimal: "minimal", low: "low", medium: "medium", high: "high", xhigh: "high" };
  const effort = efforts[reasoning];
  return effort === undefined ? {} : { reasoning_effort: effort as "high" };
}

function convertTool({ name, description, parameters }: Tool): ChatCompletionTool {
  return { type: "function", function: { name, description, parameters: { ...parameters } } };
}

function convertMessages(messages: readonly Message[]): ChatCompletionMessageParam[] {
  const converted: ChatCompletionMessageParam[] = [];
  /** Images of the results since the last answer: a tool message holds text only, and nothing may stand between those. */
  let images: ChatCompletionContentPartImage[] = [];
  const flushImages = () => {
    if (images.length > 0)
      converted.push({ role: "user", content: [{ type: "text", text: "Images of the tool results:" }, ...images] });
    images = [];
  };
  for (const message of messages) {
    if (message.role === "toolResult") {
      converted.push({ role: "tool", tool_call_id: message.toolCallId, content: textOf(message) });
      images.push(...message.content.filter((block) => block.type === "image").map(convertImage));
      continue;
    }
    flushImages();
    if (message.role === "assistant") converted.push(convertAnswer(message));
    else if (typeof message.content === "string") converted.push({ role: "user", content: message.content });
    else converted.push({ role: "user", content: message.content.map(convertPart) });
  }
  flushImages();
  return converted;
}

/** The text is one plain string: models imitate a list of parts. */
function convertAnswer(message: AssistantMessage): ChatCompletionAssistantMessageParam {
  const texts: string[] = [];
  const calls: NonNullable<ChatCompletionAssistantMessageParam["tool_calls"]> = [];
  const reasoning: Record<string, string> = {};
  for (const block of message.content) {
    if (block.type === "text") {
      texts.push(block.text);
    } else if (block.type === "toolCall") {
      calls.push({ id: block.id, type: "function", function: { name: block.name, arguments: JSON.stringify(block.arguments) } });
    } else if (isReasoningField(block.thinkingSignature)) {
      reasoning[block.thinkingSignature] = (reasoning[block.thinkingSignature] ?? "") + block.thinking;
    }
  }
  return {
    role: "assistant",
    content: texts.length > 0 ? texts.join("\n\n") : null,
    ...reasoning,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function textOf(message: ToolResultMessage): string {
  return message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function convertPart(block: TextContent | ImageContent): ChatCompletionContentPartText | ChatCompletionContentPartImage {
  return block.type === "text" ? { type: "text", text: block.text } : convertImage(block);
}

function convertImage(block: ImageContent): ChatCompletionContentPartImage {
  return { type: "image_url", image_url: { url: `data:${block.mimeType};base64,${block.data}` } };
}
