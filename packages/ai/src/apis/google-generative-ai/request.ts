import type { Content, FunctionDeclaration, ThinkingConfig } from "@google/genai";
import type { ApiRequest } from "../../api-adapter.ts";
import { type ConvertedHistory, convertHistory, type HistoryWire, historyKey } from "../../history/kept-history.ts";
import { defaultMaxTokens } from "../../output-limit.ts";
import { removeLoneSurrogates } from "../../surrogates.ts";
import type { StreamOptions, Tool } from "../../types.ts";
import type { RequestWriter } from "../prepared-request.ts";
import { resolveToolChoice, toWireName } from "../tool-names.ts";
import { toObjectSchema } from "../tool-schema.ts";
import { type GoogleCompat, resolveCompat } from "./compat.ts";
import { createConverter, type GoogleTurn } from "./contents.ts";
import { toLegacySchema } from "./legacy-schema.ts";
import { convertThinking } from "./thinking.ts";

/** The body of a request. The SDK exports types for its parts, but none for the whole. */
export interface GoogleBody {
  contents: Content[];
  systemInstruction?: Content;
  tools?: { functionDeclarations: FunctionDeclaration[] }[];
  toolConfig?: { functionCallingConfig: { mode: "NONE" | "ANY"; allowedFunctionNames?: string[] } };
  generationConfig?: { maxOutputTokens?: number; temperature?: number; thinkingConfig?: ThinkingConfig };
}

function wireOf({ model }: ApiRequest): HistoryWire<GoogleTurn> {
  return {
    ...{ model, rules: { signedEmptyText: true }, key: historyKey(model) },
    createConverter: () => createConverter(resolveCompat(model)),
    beginsAnswer: ({ role }) => role === "model",
  };
}

/** Converts a call to the body of a `streamGenerateContent` request. The same call gives the same bytes. */
function createBody(
  request: ApiRequest,
  { items, size }: ConvertedHistory<GoogleTurn> = convertHistory(request.context.messages, wireOf(request)),
): GoogleBody {
  const { model, context, options } = request;
  const compat = resolveCompat(model);
  const maxOutputTokens = options.maxTokens ?? defaultMaxTokens(model, context, size);
  const generationConfig = {
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    ...convertThinking(model, options.reasoning ?? "off"),
  };
  const body: GoogleBody = {
    contents: items,
    ...convertTools(context.tools, options, compat),
  };
  const system = removeLoneSurrogates(context.systemPrompt ?? "");
  if (system.trim() !== "") body.systemInstruction = { parts: [{ text: system }] };
  if (Object.keys(generationConfig).length > 0) body.generationConfig = generationConfig;
  return body;
}

export const googleWriter: RequestWriter<GoogleBody, GoogleTurn> = { wireOf, createBody };

function convertTools(
  tools: Tool[] | undefined,
  { toolChoice }: StreamOptions,
  compat: GoogleCompat,
): Pick<GoogleBody, "tools" | "toolConfig"> {
  if (!tools?.length) return {};
  const choice = resolveToolChoice(toolChoice, tools);
  const functionDeclarations = tools.map((tool) => convertTool(tool, compat));
  if (choice === undefined) return { tools: [{ functionDeclarations }] };
  const allowed = typeof choice === "object" ? { allowedFunctionNames: [toWireName(choice.tool)] } : {};
  const mode = choice === "none" ? ("NONE" as const) : ("ANY" as const);
  return { tools: [{ functionDeclarations }], toolConfig: { functionCallingConfig: { mode, ...allowed } } };
}

function convertTool(tool: Tool, { schemaField }: GoogleCompat): FunctionDeclaration {
  const schema = toObjectSchema(tool);
  return {
    name: toWireName(tool.name),
    description: removeLoneSurrogates(tool.description),
    [schemaField]: schemaField === "parameters" ? toLegacySchema(schema) : schema,
  };
}
