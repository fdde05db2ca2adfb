import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from "openai/resources/chat/completions";
import type { ApiRequest } from "../../api-adapter.ts";
import { type ConvertedHistory, convertHistory, type HistoryWire, historyKey } from "../../history/kept-history.ts";
import { defaultMaxTokens } from "../../output-limit.ts";
import { removeLoneSurrogates } from "../../surrogates.ts";
import type { Context, StreamOptions, Tool } from "../../types.ts";
import { wireModelId } from "../openai-client.ts";
import type { RequestWriter } from "../prepared-request.ts";
import { resolveToolChoice, toWireName } from "../tool-names.ts";
import { toObjectSchema } from "../tool-schema.ts";
import { type CacheMarker, markMessage, markTools } from "./cache-markers.ts";
import { resolveCompat } from "./compat.ts";
import { convertSystemPrompt, createConverter } from "./messages.ts";
import type { OpenAICompat } from "./openai-compat.ts";
import { convertReasoning, type ReasoningFields, requiresReasoning } from "./reasoning.ts";

/** The body of a request, with the fields that other vendors added. */
export type OpenAIBody = ChatCompletionCreateParamsStreaming & ReasoningFields;

/** The API's maximum length of a cache key, in characters. */
const maxCacheKeyLength = 64;

function wireOf({ model, context, options }: ApiRequest): HistoryWire<ChatCompletionMessageParam> {
  const compat = resolveCompat(model);
  const requireReasoning = requiresReasoning(model, options.reasoning ?? "off");
  // The first message has a marker, unless the system prompt is first.
  const hasSystem = convertSystemPrompt(context.systemPrompt, model, compat).length > 0;
  const firstMarker = hasSystem ? undefined : cacheMarkerOf(options, compat);
  return {
    ...{ model, rules: compat, key: historyKey(model, requireReasoning, firstMarker) },
    createConverter: () => createConverter(compat, { requireReasoning, firstMarker }),
    beginsAnswer: ({ role }) => role === "assistant",
  };
}

/** Converts a call to the body of a Chat Completions request. The same call gives the same bytes. */
function createBody(
  request: ApiRequest,
  history: ConvertedHistory<ChatCompletionMessageParam> = convertHistory(request.context.messages, wireOf(request)),
): OpenAIBody {
  const { model, context, options } = request;
  const compat = resolveCompat(model);
  const { reasoning: level = "off" } = options;
  const system = convertSystemPrompt(context.systemPrompt, model, compat);
  const body: OpenAIBody = {
    model: wireModelId(model),
    messages: [...system, ...history.items],
    stream: true,
    ...convertReasoning(model, level),
    ...convertTools(context, history.hasToolResults, options, compat),
  };
  if (compat.includeUsage) body.stream_options = { include_usage: true };
  const maxTokens = options.maxTokens ?? (compat.sendMaxTokens ? defaultMaxTokens(model, context, history.size) : undefined);
  if (maxTokens !== undefined) body[compat.maxTokensField] = maxTokens;
  if (options.temperature !== undefined) body.temperature = options.temperature;
  if (compat.store) body.store = false;
  if (options.cacheRetention !== "none") applyCaching(body, options, compat);
  const marker = cacheMarkerOf(options, compat);
  if (marker) {
    markTools(body.tools, marker);
    for (const message of [system[0], body.messages.at(-1)]) markMessage(message, marker);
  }
  return compat.body ? { ...body, ...compat.body } : body;
}

export const completionsWriter: RequestWriter<OpenAIBody, ChatCompletionMessageParam> = { wireOf, createBody };

/** The marker for the ends of cached prefixes; undefined if the request has none. */
function cacheMarkerOf({ cacheRetention }: StreamOptions, compat: OpenAICompat): CacheMarker | undefined {
  if (cacheRetention === "none" || !compat.cacheMarkers) return undefined;
  return { type: "ephemeral", ...(cacheRetention === "long" && { ttl: "1h" }) };
}

function applyCaching(body: OpenAIBody, { sessionId, cacheRetention }: StreamOptions, compat: OpenAICompat): void {
  if (compat.promptCacheKey && sessionId) body.prompt_cache_key = removeLoneSurrogates(sessionId).slice(0, maxCacheKeyLength);
  if (compat.longCache && cacheRetention === "long") body.prompt_cache_retention = "24h";
}

function convertTools(
  { tools = [] }: Context,
  hasToolResults: boolean,
  { toolChoice }: StreamOptions,
  compat: OpenAICompat,
): Pick<OpenAIBody, "tools" | "tool_choice"> {
  if (tools.length === 0) {
    return compat.emptyTools && hasToolResults ? { tools: [] } : {};
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
