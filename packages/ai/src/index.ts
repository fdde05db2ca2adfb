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
export { loadScriptedModel, record, replay } from "./file-models.ts";
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
