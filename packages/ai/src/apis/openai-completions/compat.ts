import type { ToolCallIdRule } from "../../history/tool-call-ids.ts";
import type { Model } from "../../types.ts";
import { findVendors } from "./vendors.ts";

/** How an endpoint departs from the Chat Completions API. Each field can be set in the model's `compat`. */
export interface OpenAICompat {
  /** Which field limits the answer. */
  maxTokensField: "max_completion_tokens" | "max_tokens";
  /** Whether the model's own limit is sent where the call sets none: some vendors stop after very few tokens otherwise. */
  sendMaxTokens: boolean;
  /** Whether the prompt of a reasoning model goes out under the role `developer`. */
  developerRole: boolean;
  /** Whether `stream_options: {include_usage: true}` is understood. */
  includeUsage: boolean;
  /** Whether `reasoning_effort` is understood. */
  reasoningEffort: boolean;
  /** The efforts that the model takes, weakest first; a level goes out as the nearest one. */
  efforts: readonly string[];
  /** Sent as effort to switch thinking off where it is on by default. Default: no effort is sent then. */
  effortOff?: string;
  /**
   * What switches thinking on and off, besides an effort: `thinking: {type}`, the same as z.ai extends it, `enable_thinking`, that
   * within `chat_template_kwargs`, or OpenRouter's `reasoning: {effort}`.
   */
  thinkingSwitch: "none" | "thinking" | "zai" | "enable_thinking" | "chat_template_kwargs" | "openrouter";
  /** Whether, while the model thinks, each answer that is replayed must have `reasoning_content`, even an empty one. */
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
  /** Which tool-call ids are taken. */
  toolCallIds: ToolCallIdRule;
  /** Whether tool messages carry the name of their tool. */
  toolResultName: boolean;
  /** Whether an assistant message must stand between tool results and a user message. */
  assistantAfterToolResult: boolean;
  /** Whether the last message must not be the assistant's. */
  endsWithUser: boolean;
  /** Whether an answer of calls only has `content: null`; else it is empty text. */
  nullContent: boolean;
  /** Whether `tools: []` is sent when the history has tool calls and the call offers no tools. */
  emptyTools: boolean;
  /** Whether `tool_choice` may name a tool; else that tool alone is offered, and required. */
  namedToolChoice: boolean;
  /** Whether an empty answer that ends with `length` means that the window is full. */
  emptyLengthIsOverflow: boolean;
}

/** For hosts that we know nothing of: what nearly every server accepts. */
const unknownHost: OpenAICompat = {
  maxTokensField: "max_completion_tokens",
  sendMaxTokens: false,
  developerRole: false,
  includeUsage: true,
  reasoningEffort: true,
  efforts: ["low", "medium", "high"],
  thinkingSwitch: "none",
  requireReasoningContent: false,
  thinkingAsText: false,
  store: false,
  promptCacheKey: false,
  longCache: false,
  cacheMarkers: false,
  strictTools: false,
  toolCallIds: "short40",
  toolResultName: false,
  assistantAfterToolResult: false,
  endsWithUser: false,
  nullContent: true,
  emptyTools: false,
  namedToolChoice: true,
  emptyLengthIsOverflow: false,
};

/** Resolves each field by itself: the model's own setting, else the provider's, else the host's, else the careful default. */
export function resolveCompat(model: Model): OpenAICompat {
  const { byHost, byProvider } = findVendors(model);
  return {
    ...unknownHost,
    ...byHost?.compat(model.id),
    ...byProvider?.compat(model.id),
    ...(model.compat as Partial<OpenAICompat> | undefined),
  };
}
