import type { ThinkingLevel } from "@pikit/ai";

/** Our names for the fields of `compat` that related programs name differently. */
const names: Readonly<Record<string, string>> = {
  supportsStore: "store",
  supportsDeveloperRole: "developerRole",
  supportsReasoningEffort: "reasoningEffort",
  supportsUsageInStreaming: "includeUsage",
  supportsStrictMode: "strictTools",
  supportsLongCacheRetention: "longCache",
  requiresToolResultName: "toolResultName",
  requiresAssistantAfterToolResult: "assistantAfterToolResult",
  requiresThinkingAsText: "thinkingAsText",
  requiresReasoningContentOnAssistantMessages: "requireReasoningContent",
};

/** Our names for the values of `thinkingFormat`. */
const switches: Readonly<Record<string, string>> = {
  openai: "none",
  reasoning_effort: "none",
  openrouter: "openrouter",
  deepseek: "thinking",
  zai: "zai",
  qwen: "enable_thinking",
  "qwen-chat-template": "chat_template_kwargs",
};

/** The fields of a model in `models.json` that say how its requests differ. */
export interface RequestFields {
  compat?: Record<string, unknown> | undefined;
  thinkingLevelMap?: Record<string, string | null> | undefined;
  samplingParams?: Record<string, unknown> | undefined;
}

/** Converts these fields to our `compat`. Our own fields stay; fields that we do not have are left out later, by the api. */
export function toCompat({ compat = {}, thinkingLevelMap, samplingParams }: RequestFields): Record<string, unknown> {
  const converted: Record<string, unknown> = {};
  const body: Record<string, unknown> = { ...samplingParams };
  for (const [name, value] of Object.entries(compat)) {
    if (Object.hasOwn(names, name)) converted[names[name] as string] = value;
    else if (name === "thinkingFormat") Object.assign(converted, switchOf(value));
    else if (name === "cacheControlFormat") converted.cacheMarkers = value === "anthropic";
    else if (name === "forceAdaptiveThinking") Object.assign(converted, value === true ? { thinking: "adaptive" } : {});
    else if (name === "openRouterRouting") body.provider = value;
    else if (name === "vercelGatewayRouting") body.providerOptions = { gateway: value };
    else if (name === "vllmPriority") body.priority = value;
    else if (name !== "reasoningEffortMap") converted[name] = value;
  }
  const levels = thinkingLevelMap ?? (compat.reasoningEffortMap as Record<string, string | null> | undefined);
  return {
    ...converted,
    ...(levels ? { levelEfforts: toLevelEfforts(levels) } : {}),
    ...(Object.keys(body).length > 0 ? { body } : {}),
  };
}

function switchOf(format: unknown): { thinkingSwitch?: string } {
  return typeof format === "string" && Object.hasOwn(switches, format) ? { thinkingSwitch: switches[format] as string } : {};
}

/** Their highest level is `max`, ours is `xhigh`: without an effort of its own, it gets that of `max`. */
function toLevelEfforts({ max, ...levels }: Record<string, string | null>): Partial<Record<ThinkingLevel, string | null>> {
  return typeof max === "string" && typeof levels.xhigh !== "string" ? { ...levels, xhigh: max } : levels;
}
