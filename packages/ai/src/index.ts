export type { ApiAdapter, ApiLoader, ApiRequest } from "./api-adapter.ts";
export { knownApis, loadApi, registerApi } from "./api-registry.ts";
export type {
  HostModelCall,
  HostModelEvent,
  HostModelFailure,
  HostModelFrame,
  HostModelOptions,
  HostModelRequest,
  HostModelResult,
  HostModelUsage,
  StartHostCall,
} from "./apis/host/frames.ts";
export { createHostModel, type HostModel, type HostModelDescription, isHostModel, toHostModel } from "./apis/host/model.ts";
export type { HostModelFunction, HostModelOutput, HostModelStream } from "./apis/host/run.ts";
export {
  createScriptedModel,
  playAnswers,
  type Script,
  type ScriptedAnswer,
  type ScriptedModel,
} from "./apis/scripted/script.ts";
export { MessageAssembler, type TextBlock, type ThinkingBlock, type ToolCallBlock } from "./assembler.ts";
export { AssistantMessageEventStream } from "./assistant-stream.ts";
export { environmentKey, keyVariablesOf, usedKeyVariable } from "./auth.ts";
export { loadFormerModels, loadProviderModels, type ProviderEntry, providers } from "./catalog/catalog.ts";
export { type CheckedImage, checkImage, imageOrNote, imageTypeOf, maxImageLength } from "./check-image.ts";
export { AiError, type AiErrorCode, type AiErrorOptions, isAiError } from "./errors.ts";
export { EventStream } from "./event-stream.ts";
export { cutDeep, isTooDeep, maxNesting } from "./nesting.ts";
export { estimatePromptTokens } from "./output-limit.ts";
export { isOverflowText, isSilentOverflow } from "./overflow.ts";
export { ownTurn } from "./own-turn.ts";
export { type BodyText, type ReadBodyOptions, readBody } from "./read-body.ts";
export { isReplayed } from "./recording/call-interceptor.ts";
export type { ReplayModel, ReplayOptions } from "./recording/player.ts";
export type { RecordOptions } from "./recording/recorder.ts";
export { complete, stream } from "./stream.ts";
export { clampThinkingLevel, parseThinkingLevel, thinkingLevelsOf } from "./thinking-levels.ts";
export {
  type AnswerObserver,
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
  type RequestedThinkingLevel,
  type StopReason,
  type StreamOptions,
  type TextContent,
  type ThinkingContent,
  type ThinkingLevel,
  type Tool,
  type ToolCall,
  type ToolChoice,
  type ToolResultMessage,
  thinkingLevels,
  type Usage,
  type UsageCost,
  type UserMessage,
} from "./types.ts";
export { emptyUsage, priceUsage, type TokenCounts } from "./usage.ts";

import type { ScriptedModel } from "./apis/scripted/script.ts";
import type { ReplayModel, ReplayOptions } from "./recording/player.ts";
import type { RecordOptions } from "./recording/recorder.ts";
import type { Model } from "./types.ts";

/**
 * Reads a script file, with one `ScriptedAnswer` per line, and creates a model that plays it.
 *
 * @throws {AiError} `unsupported` when the file cannot be read, or a line is not an answer; the message names file and line.
 */
export async function loadScriptedModel(path: string): Promise<ScriptedModel> {
  return (await import("./apis/scripted/script-file.ts")).loadScriptedModel(path);
}

/**
 * Creates a copy of `model` that records each answer: it appends the request, the wire events with their times, and the end to `file`.
 * Several models may share a file, and later runs may append to it. Keys and headers are left out. The file is created at once, with mode
 * 0600, and each line is written as soon as it is complete.
 *
 * @throws {AiError} `unsupported` when the file cannot be written or is not a recording, or when the model uses no provider.
 */
export async function record<T extends Model>(model: T, file: string, options?: RecordOptions): Promise<T> {
  return (await import("./recording/recorder.ts")).record(model, file, options);
}

/**
 * Creates a model that plays a recording, without network and key. Each call takes the next answer. Its request must match the recorded
 * one in the model id, the tool names, and the roles, texts and tool calls of the messages. A request that differs, or that comes after
 * the last answer, fails with `invalid_request`; the message describes the difference, and the answer is kept for the next call.
 *
 * @throws {AiError} `unsupported` when the file cannot be read or is not a recording; the message names the line.
 */
export async function replay(file: string, options?: ReplayOptions): Promise<ReplayModel> {
  return (await import("./recording/player.ts")).replay(file, options);
}
