import type {
  FunctionTool,
  ResponseCreateParamsStreaming,
  ResponseInputItem,
  ServiceTier,
} from "openai/resources/responses/responses";
import type { ApiRequest } from "../../api-adapter.ts";
import { type ConvertedHistory, convertHistory, type HistoryWire, historyKey } from "../../history/kept-history.ts";
import { defaultMaxTokens } from "../../output-limit.ts";
import { removeLoneSurrogates } from "../../surrogates.ts";
import type { StreamOptions, Tool } from "../../types.ts";
import { wireModelId } from "../openai-client.ts";
import type { RequestWriter } from "../prepared-request.ts";
import { resolveToolChoice, toWireName } from "../tool-names.ts";
import { toObjectSchema } from "../tool-schema.ts";
import { resolveCompat } from "./compat.ts";
import { InputConverter } from "./input.ts";
import { convertReasoning } from "./reasoning.ts";

export type ResponsesBody = ResponseCreateParamsStreaming;

/** The API's maximum length of a cache key, in characters. */
const maxCacheKeyLength = 64;

/** The API's minimum of `max_output_tokens`. */
const minOutputTokens = 16;

function wireOf({ model }: ApiRequest): HistoryWire<ResponseInputItem> {
  return {
    ...{ model, rules: {}, key: historyKey(model) },
    createConverter: () => new InputConverter(model),
    // Items are never merged.
    beginsAnswer: () => true,
  };
}

/** Converts a call to the body of a Responses request. The same call gives the same bytes. */
function createBody(
  request: ApiRequest,
  { items, size }: ConvertedHistory<ResponseInputItem> = convertHistory(request.context.messages, wireOf(request)),
): ResponsesBody {
  const { model, context, options } = request;
  const compat = resolveCompat(model);
  const body: ResponsesBody = {
    model: wireModelId(model),
    input: items,
    stream: true,
    // We send the whole conversation with each request, so the server need not store it.
    store: false,
    ...convertReasoning(model, options.reasoning ?? "off"),
    ...convertTools(context.tools, options),
  };
  const instructions = removeLoneSurrogates(context.systemPrompt ?? "");
  if (instructions.trim() !== "") body.instructions = instructions;
  const maxTokens = options.maxTokens ?? defaultMaxTokens(model, context, size);
  if (maxTokens !== undefined) body.max_output_tokens = Math.max(maxTokens, minOutputTokens);
  if (options.temperature !== undefined && !model.reasoning) body.temperature = options.temperature;
  if (compat.serviceTier) body.service_tier = compat.serviceTier as ServiceTier;
  if (options.cacheRetention !== "none") {
    if (compat.promptCacheKey && options.sessionId) body.prompt_cache_key = options.sessionId.slice(0, maxCacheKeyLength);
    if (compat.longCache && options.cacheRetention === "long") body.prompt_cache_retention = "24h";
  }
  return body;
}

export const responsesWriter: RequestWriter<ResponsesBody, ResponseInputItem> = { wireOf, createBody };

function convertTools(tools: Tool[] | undefined, { toolChoice }: StreamOptions): Pick<ResponsesBody, "tools" | "tool_choice"> {
  if (!tools?.length) return {};
  const choice = resolveToolChoice(toolChoice, tools);
  const tool_choice = typeof choice === "object" ? ({ type: "function", name: toWireName(choice.tool) } as const) : choice;
  return { tools: tools.map(convertTool), ...(tool_choice !== undefined && { tool_choice }) };
}

/** Sends `strict: false`, because without it the API applies strict mode to every schema that allows it. */
function convertTool(tool: Tool): FunctionTool {
  const description = removeLoneSurrogates(tool.description);
  return { type: "function", name: toWireName(tool.name), description, parameters: toObjectSchema(tool), strict: false };
}
