import type { ToolCallIdRule } from "../../history/tool-call-ids.ts";
import type { LevelEfforts } from "../level-efforts.ts";

/** The differences between an endpoint and the Chat Completions API. Each field can be set in the model's `compat`. */
export interface OpenAICompat {
  /** The field that limits the answer. */
  maxTokensField: "max_completion_tokens" | "max_tokens";
  /** Whether the model's limit is sent when the call sets none: some vendors have a very low default. */
  sendMaxTokens: boolean;
  /** Whether a reasoning model gets its system prompt under the role `developer`. */
  developerRole: boolean;
  /** Whether `stream_options: {include_usage: true}` is understood. */
  includeUsage: boolean;
  /** Whether `reasoning_effort` is understood. */
  reasoningEffort: boolean;
  /** The efforts that the model supports, weakest first. A thinking level maps to the nearest one. */
  efforts: readonly string[];
  /** The effort for each level, which takes precedence over `efforts`. */
  levelEfforts?: LevelEfforts;
  /** The effort that switches thinking off. Default: for `off`, no effort is sent. */
  effortOff?: string;
  /**
   * The field, besides an effort, that switches thinking on and off: `thinking: {type}`, z.ai's extension of it, `enable_thinking`, the
   * same inside `chat_template_kwargs`, or OpenRouter's `reasoning: {effort}`.
   */
  thinkingSwitch: "none" | "thinking" | "zai" | "enable_thinking" | "chat_template_kwargs" | "openrouter";
  /** Whether, with thinking on, each replayed answer must have `reasoning_content`, even if empty. */
  requireReasoningContent: boolean;
  /** Whether thinking is replayed as text. */
  thinkingAsText: boolean;
  /** Whether `store: false` is understood. */
  store: boolean;
  /** Whether `prompt_cache_key` is understood. */
  promptCacheKey: boolean;
  /** Whether `prompt_cache_retention: "24h"` is understood. */
  longCache: boolean;
  /** Whether `cache_control` markers are understood. */
  cacheMarkers: boolean;
  /** Whether tools have `strict`. */
  strictTools: boolean;
  /** The tool-call ids that the endpoint accepts. */
  toolCallIds: ToolCallIdRule;
  /** Whether tool messages carry the name of their tool. */
  toolResultName: boolean;
  /** Whether an assistant message must stand between tool results and a user message. */
  assistantAfterToolResult: boolean;
  /** Whether the last message must not be the assistant's. */
  endsWithUser: boolean;
  /** Whether an answer that holds only calls is sent with `content: null`; otherwise with empty text. */
  nullContent: boolean;
  /** Whether `tools: []` is sent when the history has tool calls and the call offers no tools. */
  emptyTools: boolean;
  /** Whether `tool_choice` may name a tool; otherwise the request offers only that tool and requires a call. */
  namedToolChoice: boolean;
  /** Whether an empty answer that ends with `length` means that the context window is full. */
  emptyLengthIsOverflow: boolean;
  /** Fields that are added to the body of each request, such as the routing of OpenRouter. They replace fields with the same name. */
  body?: Readonly<Record<string, unknown>>;
}
