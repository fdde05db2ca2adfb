import type { TSchema } from "@sinclair/typebox";

/** Wire protocols that ship with this package. */
export type KnownApi = "anthropic-messages" | "openai-completions" | "openai-responses" | "google-generative-ai" | "scripted";

/** The wire protocol a model is spoken to with: a known one, or one added with `registerApi`. */
export type Api = KnownApi | (string & {});

/** How hard a reasoning model should think, from not at all to the model's maximum. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";

/** Every thinking level, weakest first. */
export const thinkingLevels: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh"];

/** A level as it can be asked for; `max` is the highest. */
export type RequestedThinkingLevel = ThinkingLevel | "max";

/** US dollars per million tokens. */
export interface ModelCost {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** A model and where to reach it. */
export interface Model {
  /** The provider's own id, sent in requests. */
  id: string;
  /** Display name. */
  name: string;
  api: Api;
  /** Who serves it: `anthropic`, `openai`, or a name from `models.json`. */
  provider: string;
  baseUrl: string;
  /** Whether the model can think before it answers. */
  reasoning: boolean;
  input: ("text" | "image")[];
  /** Tokens of prompt and answer together; 0 when unknown. */
  contextWindow: number;
  /** Most tokens of one answer; 0 when unknown. */
  maxTokens: number;
  cost: ModelCost;
  /** Extra request headers. Never written to a protocol, a session or a log. */
  headers?: Record<string, string>;
  /** Departures of the endpoint from its api; each api defines its own keys. Never written to a protocol. */
  compat?: Record<string, unknown>;
}

export interface TextContent {
  type: "text";
  text: string;
  /** Opaque provider data that must be sent back with the block to the same model. */
  textSignature?: string;
}

export interface ThinkingContent {
  type: "thinking";
  thinking: string;
  /** Opaque proof that the model wrote the block; without it the block is not sent back as thinking. */
  thinkingSignature?: string;
  /** The provider hid the text; `thinkingSignature` holds the encrypted original. */
  redacted?: boolean;
}

export interface ImageContent {
  type: "image";
  /** Base64, without a data URL prefix. */
  data: string;
  /** For example `image/png`. */
  mimeType: string;
}

/** A tool that the model asks to run. */
export interface ToolCall {
  type: "toolCall";
  id: string;
  name: string;
  /** As the model wrote them; validated and coerced only in the copy that the tool receives. */
  arguments: Record<string, unknown>;
  thoughtSignature?: string;
  /** The model's argument text was not a JSON object: what was wrong. Such a call is answered with this error and never run. */
  argumentsError?: string;
}

/** US dollars. */
export interface UsageCost {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  total: number;
}

/**
 * Tokens of one model call, with the same meaning for every provider: `input` excludes cache reads and writes,
 * `output` includes reasoning, `totalTokens` is the sum of the four. What a provider does not report is 0.
 */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  cost: UsageCost;
}

/** Why an answer ended. `error` and `aborted` answers carry an `errorMessage` and are not sent back to a model. */
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

export interface UserMessage {
  role: "user";
  content: string | (TextContent | ImageContent)[];
  /** Unix time in milliseconds. */
  timestamp: number;
}

export interface AssistantMessage {
  role: "assistant";
  content: (TextContent | ThinkingContent | ToolCall)[];
  api: Api;
  provider: string;
  /** The requested model id, also when the response names an alias or a snapshot. */
  model: string;
  usage: Usage;
  stopReason: StopReason;
  /** Set when `stopReason` is `error` or `aborted`. */
  errorMessage?: string;
  /** Unix time in milliseconds at which the request started. */
  timestamp: number;
}

export interface ToolResultMessage<TDetails = unknown> {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: (TextContent | ImageContent)[];
  /** For user interfaces; models do not see it. */
  details?: TDetails;
  isError: boolean;
  /** Unix time in milliseconds. */
  timestamp: number;
}

/** What a model can be sent. */
export type Message = UserMessage | AssistantMessage | ToolResultMessage;

/** A tool as a model sees it. */
export interface Tool<TParameters extends TSchema = TSchema> {
  name: string;
  description: string;
  /** A JSON Schema with an object root; TypeBox schemas are JSON Schemas. */
  parameters: TParameters;
}

/** Everything that one model call is given. */
export interface Context {
  systemPrompt?: string;
  messages: Message[];
  tools?: Tool[];
}

/**
 * One step of a streamed answer.
 *
 * - `start` precedes every block. Each block is `*_start`, any number of `*_delta`, `*_end`, under a `contentIndex` that does not
 *   change; blocks may interleave. Exactly one `done` or `error` comes last.
 * - A request that fails before the answer begins gives only `error`. A block that was still open when an answer failed gets no
 *   `*_end`: an end says that the block is complete.
 * - `partial` is the message being built, not a copy: it goes on changing until the terminal event.
 */
export type AssistantMessageEvent =
  | { type: "start"; partial: AssistantMessage }
  | { type: "text_start"; contentIndex: number; partial: AssistantMessage }
  | { type: "text_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
  | { type: "text_end"; contentIndex: number; content: string; partial: AssistantMessage }
  | { type: "thinking_start"; contentIndex: number; partial: AssistantMessage }
  | { type: "thinking_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
  | { type: "thinking_end"; contentIndex: number; content: string; partial: AssistantMessage }
  | { type: "toolcall_start"; contentIndex: number; partial: AssistantMessage }
  | { type: "toolcall_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
  | { type: "toolcall_end"; contentIndex: number; toolCall: ToolCall; partial: AssistantMessage }
  | { type: "done"; reason: "stop" | "length" | "toolUse"; message: AssistantMessage }
  | { type: "error"; reason: "error" | "aborted"; error: AssistantMessage };

/**
 * Whether the model calls tools: `auto`, as it likes, the default; `none`, not at all; `required`, at least one; `{tool}`, the named
 * one. What names a tool that the call does not offer is ignored, as is everything where a call offers none.
 */
export type ToolChoice = "auto" | "none" | "required" | { tool: string };

/** Whether the prefix of a conversation should stay in the provider's cache: not at all, about 5 minutes, about an hour. */
export type CacheRetention = "none" | "short" | "long";

export interface StreamOptions {
  /** Stops the request; the answer ends with `aborted` and keeps what has arrived. */
  signal?: AbortSignal;
  /** Overrides the key from the environment. */
  apiKey?: string;
  /** Added to the request; names are case-insensitive and win over the model's own. */
  headers?: Record<string, string>;
  /** Most tokens of the answer. Default, where the endpoint wants a number: the model's limit, or what its window has left. */
  maxTokens?: number;
  temperature?: number;
  /** Default `off`. Ignored by models without reasoning. */
  reasoning?: ThinkingLevel;
  /** Default `short`. */
  cacheRetention?: CacheRetention;
  /** Names the conversation, for providers that route requests of one conversation to one cache. */
  sessionId?: string;
  /** Default `auto`. A choice that forces a call becomes `auto` where the endpoint cannot combine it with thinking. */
  toolChoice?: ToolChoice;
  /** Milliseconds to the first byte of the response; 0, the default, waits for ever. */
  firstByteTimeoutMs?: number;
  /**
   * Milliseconds between two events of the response; 0, the default, waits for ever. Signs of life that are no events, such as pings,
   * extend the wait, to at most three times as long.
   */
  idleTimeoutMs?: number;
  /** Sees the request body before it is sent and may return another one. */
  onPayload?: (payload: unknown, model: Model) => unknown;
  /** Sends the request in the place of the built-in `fetch`: redirects, proxies and time limits are its own affair then. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}
