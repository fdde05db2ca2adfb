import type { ChatCompletionCreateParamsStreaming, ChatCompletionTool } from "openai/resources/chat/completions";
import type { ApiRequest } from "../../api-adapter.ts";
import { prepareHistory } from "../../history.ts";
import { defaultMaxTokens } from "../../output-limit.ts";
import { removeLoneSurrogates } from "../../surrogates.ts";
import type { Context, Message, StreamOptions, Tool } from "../../types.ts";
import { wireModelId } from "../openai-client.ts";
import { resolveToolChoice, toWireName } from "../tool-names.ts";
import { toObjectSchema } from "../tool-schema.ts";
import { markForCache } from "./cache-markers.ts";
import { resolveCompat } from "./compat.ts";
import { convertMessages, convertSystemPrompt } from "./messages.ts";
import type { OpenAICompat } from "./openai-compat.ts";
import { convertReasoning, type ReasoningFields, requiresReasoning } from "./reasoning.ts";

/** The body of a request, with the fields that other vendors added. */
export type OpenAIBody = ChatCompletionCreateParamsStreaming & ReasoningFields;

/** The API's maximum length of a cache key, in characters. */
const maxCacheKeyLength = 64;

/** Converts a call to the body of a Chat Completions request. The same call gives the same bytes. */
export function createBody({ model, context, options }: ApiRequest): OpenAIBody {
  const compat = resolveCompat(model);
  const { reasoning: level = "off" } = options;
  const messages = prepareHistory(context.messages, model, compat);
  const body: OpenAIBody = {
    model: wireModelId(model),
    messages: [
      ...convertSystemPrompt(context.systemPrompt, model, compat),
      ...convertMessages(messages, compat, { requireReasoning: requiresReasoning(model, level) }),
    ],
    stream: true,
    ...convertReasoning(model, level),
    ...convertTools(context, messages, options, compat),
  };
  if (compat.includeUsage) body.stream_options = { include_usage: true };
  const maxTokens = options.maxTokens ?? (compat.sendMaxTokens ? defaultMaxTokens(model, context) : undefined);
  if (maxTokens !== undefined) body[compat.maxTokensField] = maxTokens;
  if (options.temperature !== undefined) body.temperature = options.temperature;
  if (compat.store) body.store = false;
  if (options.cacheRetention !== "none") applyCaching(body, options, compat);
  return compat.body ? { ...body, ...compat.body } : body;
}

function applyCaching(body: OpenAIBody, { sessionId, cacheRetention }: StreamOptions, compat: OpenAICompat): void {
  const isLong = cacheRetention === "long";
  if (compat.promptCacheKey && sessionId) body.prompt_cache_key = removeLoneSurrogates(sessionId).slice(0, maxCacheKeyLength);
  if (compat.longCache && isLong) body.prompt_cache_retention = "24h";
  if (compat.cacheMarkers) markForCache(body, { type: "ephemeral", ...(isLong && { ttl: "1h" }) });
}

function convertTools(
  { tools = [] }: Context,
  messages: readonly Message[],
  { toolChoice }: StreamOptions,
  compat: OpenAICompat,
): Pick<OpenAIBody, "tools" | "tool_choice"> {
  if (tools.length === 0) {
    return compat.emptyTools && messages.some(({ role }) => role === "toolResult") ? { tools: [] } : {};
  }
  const convert = (tool: Tool) => convertTool(tool, compat);
  const choice = resolveToolChoice(toolChoice, tools);
  if (typeof choice !== "object") return { tools: tools.map(convert), ...(choice && { tool_choice: choice }) };
  if (!compat.namedToolChoice) {
    return { tools: tools.filter(({ name }) => name === choice.tool).map(convert), tool_choice: "required" };
  }
  return { tools: tools.map(convert), tool_choice: { type: "function", function: { name: toWireName(choice.tool) } } };
}

function convertTool(tool: Tool, { strictTools }: OpenAICompat): ChatCompletionTool {
  const description = removeLoneSurrogates(tool.description);
  const parameters = toObjectSchema(tool);
  return {
    type: "function",
    function: { name: toWireName(tool.name), description, parameters, ...(strictTools && { strict: false }) },
  };
}
