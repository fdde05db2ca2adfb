import type { TSchema } from "@sinclair/typebox";
import type { AiError } from "./errors.ts";

/** Wire protocols that ship with this package. */
export type KnownApi =
  | "anthropic-messages"
  | "openai-completions"
  | "openai-responses"
  | "google-generative-ai"
  | "host"
  | "scripted";

/** The wire protocol of a model: a known one, or one added with `registerApi`. */
export type Api = KnownApi | (string & {});

/** The amount of thinking of a reasoning model, from none to the model's maximum. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";

/** Every thinking level, weakest first. */
export const thinkingLevels: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh"];

/** A level in options; `max` stands for the highest level. */
export type RequestedThinkingLevel = ThinkingLevel | "max";

/** US dollars per million tokens. */
export interface ModelCost {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** A model and its endpoint. */
export interface Model {
  /** The provider's own id, sent in requests. */
  id: string;
  /** Display name. */
  name: string;
  api: Api;
  /** The provider that serves the model: `anthropic`, `openai`, or a name from `models.json`. */
  provider: string;
  baseUrl: string;
  /** Whether the model can think before it answers. */
  reasoning: boolean;
  input: ("text" | "image")[];
  /** Tokens of prompt and answer together; 0 when unknown. */
  contextWindow: number;
  /** Maximum tokens of one answer; 0 when unknown. */
  maxTokens: number;
  cost: ModelCost;
  /** Extra request headers. Never written to a protocol, a session or a log. */
  headers?: Record<string, string>;
  /** Differences of the endpoint from its api; each api defines its own keys. Never written to a protocol. */
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
  /** The problem with the model's argument text, if it was not a JSON object. The call is not run; its result is this error. */
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
 * `output` includes reasoning, `totalTokens` is the sum of the four. A count that the provider does not report is 0.
 */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  cost: UsageCost;
}

/** The reason why an answer ended. `error` and `aborted` answers have an `errorMessage` and are not sent back to a model. */
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
  /** The requested model id, even if the response names an alias or a snapshot. */
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
  /** Plain text for people, in place of the arguments and of the content; models do not see it. */
  display?: { call?: string; result?: string[] };
  isError: boolean;
  /** Unix time in milliseconds. */
  timestamp: number;
}

/** A message that can be sent to a model. */
export type Message = UserMessage | AssistantMessage | ToolResultMessage;

/** A tool as a model sees it. */
export interface Tool<TParameters extends TSchema = TSchema> {
  name: string;
  description: string;
  /** A JSON Schema with an object root; TypeBox schemas are JSON Schemas. */
  parameters: TParameters;
}

/** The input of one model call. */
export interface Context {
  systemPrompt?: string;
  messages: Message[];
  tools?: Tool[];
}

/**
 * An event of a streamed answer.
 *
 * - `start` precedes every block. A block has `*_start`, any number of `*_delta`, and `*_end`, all with the same `contentIndex`; blocks may
 *   interleave. Exactly one `done` or `error` comes last.
 * - A request that fails before the answer begins emits only `error`. A block that is open when the answer fails gets no `*_end`, because
 *   that event means that the block is complete.
 * - `partial` is the message being built, not a copy: it changes until the last event.
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
 * Whether the model calls tools: `auto` (default), the model decides; `none`, no tool; `required`, at least one; `{tool}`, the named one.
 * Ignored when it names a tool that is not offered, and when no tools are offered.
 */
export type ToolChoice = "auto" | "none" | "required" | { tool: string };

/** How long the provider should cache the prefix of a conversation: not at all, about 5 minutes, or about an hour. */
export type CacheRetention = "none" | "short" | "long";

/** Observes one model call, for example to measure it. The functions must not throw. */
export interface AnswerObserver {
  /** Called when the first block of the answer begins; not for an answer without content. */
  onContent?(): void;
  /** Called once, when the answer has ended. `failure` is set if `stopReason` is `error` or `aborted`. */
  onEnd?(answer: AssistantMessage, failure: AiError | undefined): void;
}

export interface StreamOptions {
  /** An abort stops the request; the answer ends with `aborted` and keeps its content so far. */
  signal?: AbortSignal;
  /** Overrides the key from the environment. */
  apiKey?: string;
  /** Additional request headers. Names are case-insensitive and take precedence over the model's headers; an empty value removes one. */
  headers?: Record<string, string>;
  /** Maximum tokens of the answer. Default, if the endpoint needs one: the model's limit, or the free part of its context window. */
  maxTokens?: number;
  temperature?: number;
  /** Default `off`. Ignored by models without reasoning. */
  reasoning?: ThinkingLevel;
  /** Default `short`. */
  cacheRetention?: CacheRetention;
  /** The id of the conversation, for providers that route the requests of one conversation to one cache. */
  sessionId?: string;
  /**
   * The same object in each call of one conversation, for example the array of its messages. Then only new messages are converted: the
   * others must be the same objects as before, and what they hold is compared only down to the texts. Default: nothing is kept.
   */
  conversation?: object;
  /** Default `auto`. A choice that requires a call becomes `auto` if the endpoint cannot combine it with thinking. */
  toolChoice?: ToolChoice;
  /** Timeout in milliseconds for the first byte of the response. Default: 0, no timeout. */
  firstByteTimeoutMs?: number;
  /**
   * Timeout in milliseconds between two events of the response. Default: 0, no timeout. Bytes that are not an event, such as pings, extend
   * the wait to at most three times the timeout.
   */
  idleTimeoutMs?: number;
  /** Called with the request body before it is sent; may return a replacement. */
  onPayload?: (payload: unknown, model: Model) => unknown;
  /** Called with the request headers, keys included, before they are sent; may change them. */
  onHeaders?: (headers: Headers, model: Model) => void | Promise<void>;
  /** Called with the status and the headers of the response, before its body is read. */
  onResponse?: (response: { status: number; headers: Record<string, string> }, model: Model) => void | Promise<void>;
  /** Observes the answer. Default: none. */
  observer?: AnswerObserver;
  /** Replaces the built-in `fetch`. It must then handle redirects, proxies and timeouts itself. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}
