import type { FunctionTool, ResponseCreateParamsStreaming, ServiceTier } from "openai/resources/responses/responses";
import type { ApiRequest } from "../../api-adapter.ts";
import { prepareHistory } from "../../history.ts";
import { defaultMaxTokens } from "../../output-limit.ts";
import { removeLoneSurrogates } from "../../surrogates.ts";
import type { StreamOptions, Tool } from "../../types.ts";
import { wireModelId } from "../openai-client.ts";
import { resolveToolChoice, toWireName } from "../tool-names.ts";
import { toObjectSchema } from "../tool-schema.ts";
import { resolveCompat } from "./compat.ts";
import { convertMessages } from "./input.ts";
import { convertReasoning } from "./reasoning.ts";

export type ResponsesBody = ResponseCreateParamsStreaming;

/** The longest cache key that the API takes, in characters. */
const maxCacheKeyLength = 64;

/** The API rejects a smaller limit, in tokens. */
const minOutputTokens = 16;

/** Converts a call to the body of a Responses request. Pure: the same call gives the same bytes. */
export function createBody({ model, context, options }: ApiRequest): ResponsesBody {
  const compat = resolveCompat(model);
  const body: ResponsesBody = {
    model: wireModelId(model),
    input: convertMessages(prepareHistory(context.messages, model), model),
    stream: true,
    // The conversation is ours to keep; nothing in a request refers to one that the server has stored.
    store: false,
    ...convertReasoning(model, options.reasoning ?? "off"),
    ...convertTools(context.tools, options),
  };
  const instructions = removeLoneSurrogates(context.systemPrompt ?? "");
  if (instructions.trim() !== "") body.instructions = instructions;
  const maxTokens = options.maxTokens ?? defaultMaxTokens(model, context);
  if (maxTokens !== undefined) body.max_output_tokens = Math.max(maxTokens, minOutputTokens);
  if (options.temperature !== undefined && !model.reasoning) body.temperature = options.temperature;
  if (compat.serviceTier) body.service_tier = compat.serviceTier as ServiceTier;
  if (options.cacheRetention !== "none") {
    if (compat.promptCacheKey && options.sessionId) body.prompt_cache_key = options.sessionId.slice(0, maxCacheKeyLength);
    if (compat.longCache && options.cacheRetention === "long") body.prompt_cache_retention = "24h";
  }
  return body;
}

function convertTools(tools: Tool[] | undefined, { toolChoice }: StreamOptions): Pick<ResponsesBody, "tools" | "tool_choice"> {
  if (!tools?.length) return {};
  const choice = resolveToolChoice(toolChoice, tools);
  const tool_choice = typeof choice === "object" ? ({ type: "function", name: toWireName(choice.tool) } as const) : choice;
  return { tools: tools.map(convertTool), ...(tool_choice !== undefined && { tool_choice }) };
}

/** `strict` is said, since the API takes its absence for a yes where it can. */
function convertTool(tool: Tool): FunctionTool {
  const description = removeLoneSurrogates(tool.description);
  return { type: "function", name: toWireName(tool.name), description, parameters: toObjectSchema(tool), strict: false };
}
