import type { Message, StopReason, StreamOptions, TextContent, ThinkingContent, Tool, ToolCall, Usage } from "../../types.ts";

/** The options of a model call that a host gets: no keys, headers or functions. */
export type HostModelOptions = Pick<
  StreamOptions,
  "maxTokens" | "temperature" | "reasoning" | "cacheRetention" | "sessionId" | "toolChoice"
>;

/** The request to a host. */
export interface HostModelRequest {
  modelId: string;
  /** Valid for every model: each tool call has exactly one result, and failed answers are left out. */
  context: { systemPrompt?: string; messages: Message[]; tools: Tool[] };
  options: HostModelOptions;
}

/** One call of a host model. */
export interface HostModelCall extends HostModelRequest {
  /** Aborted when the caller no longer waits for the answer. */
  signal: AbortSignal;
}

/** Tokens of one call; a missing count is 0. `totalTokens` is computed. `cost` is in US dollars; without it the model's prices apply. */
export interface HostModelUsage extends Partial<Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite" | "totalTokens">> {
  /** `total` defaults to the sum of the others. */
  cost?: Partial<Usage["cost"]>;
}

/**
 * A step of an answer, as in the stream mode `deltas`. Blocks are numbered from 0 in the order of their starts and may interleave. At the end of
 * a block, `content` and `toolCall` may repeat the whole block; without deltas they are its content.
 */
export type HostModelEvent =
  | { type: "text_start"; contentIndex: number }
  | { type: "text_delta"; contentIndex: number; delta: string }
  | { type: "text_end"; contentIndex: number; content?: string; textSignature?: string }
  | { type: "thinking_start"; contentIndex: number }
  | { type: "thinking_delta"; contentIndex: number; delta: string }
  | { type: "thinking_end"; contentIndex: number; content?: string; thinkingSignature?: string; redacted?: boolean }
  | { type: "toolcall_start"; contentIndex: number; id: string; toolName: string }
  | { type: "toolcall_delta"; contentIndex: number; delta: string }
  | { type: "toolcall_end"; contentIndex: number; toolCall?: ToolCall };

/** The end of an answer. */
export interface HostModelResult {
  /** `toolUse` if the answer has tool calls; `stop` then counts as `toolUse`. */
  stopReason: Extract<StopReason, "stop" | "length" | "toolUse">;
  usage?: HostModelUsage;
  /** The whole answer, of a host that does not stream. */
  content?: (TextContent | ThinkingContent | ToolCall)[];
}

/** The failure of a call. */
export interface HostModelFailure {
  message: string;
  /** Whether the same call may succeed later. Default: what the message says, as for providers. */
  retryable?: boolean;
  /** Whether the conversation is longer than the context window. Default: what the message says. It is then summarised, and the
   * call is made again. */
  overflow?: boolean;
}

/** A message of a host about one call. Exactly one result or error comes last. An event frame without `event` is a sign of life. */
export type HostModelFrame =
  | { type: "host_model_event"; event?: HostModelEvent; usage?: HostModelUsage }
  | ({ type: "host_model_result" } & HostModelResult)
  | ({ type: "host_model_error" } & HostModelFailure);

/**
 * Begins a call, and calls `receive` with each frame, in order; frames after the last one are ignored. `receive` checks the frames and never throws.
 *
 * @throws {AiError} When the call cannot begin.
 */
export type StartHostCall = (call: HostModelCall, receive: (frame: unknown) => void) => void;
