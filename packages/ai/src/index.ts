export { type ApiAdapter, type ApiLoader, type ApiRequest, loadApi, registerApi } from "./api-registry.ts";
export {
  createScriptedModel,
  playAnswers,
  type Script,
  type ScriptedAnswer,
  type ScriptedModel,
} from "./apis/scripted/script.ts";
export { MessageAssembler, type TextBlock, type ThinkingBlock, type ToolCallBlock } from "./assembler.ts";
export { AssistantMessageEventStream } from "./assistant-stream.ts";
export { environmentKey, keyVariablesOf } from "./auth.ts";
export { loadProviderModels, type ProviderEntry, providers } from "./catalog/catalog.ts";
export { AiError, type AiErrorCode, type AiErrorOptions, isAiError } from "./errors.ts";
export { EventStream } from "./event-stream.ts";
export { complete, stream } from "./stream.ts";
export {
  type Api,
  type AssistantMessage,
  type AssistantMessageEvent,
  type CacheRetention,
  type Context,
  type ImageContent,
  type KnownApi,
  type Message,
  type Model,
  type ModelCost,
  type StopReason,
  type StreamOptions,
  type TextContent,
  type ThinkingContent,
  type ThinkingLevel,
  type Tool,
  type ToolCall,
  type ToolResultMessage,
  thinkingLevels,
  type Usage,
  type UsageCost,
  type UserMessage,
} from "./types.ts";
export { emptyUsage, priceUsage, type TokenCounts } from "./usage.ts";

import type { ScriptedModel } from "./apis/scripted/script.ts";

/**
 * Reads a script file, one `ScriptedAnswer` a line, and makes a model that plays it.
 *
 * @throws {AiError} `unsupported` when the file cannot be read, or a line is not an answer; the message names file and line.
 */
export async function loadScriptedModel(path: string): Promise<ScriptedModel> {
  return (await import("./apis/scripted/script-file.ts")).loadScriptedModel(path);
}
