import type { Model } from "../../types.ts";
import type { OpenAICompat } from "./openai-compat.ts";
import { findVendors } from "./vendors.ts";

/** Settings for unknown hosts; nearly every server accepts them. */
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

/** Resolves each field: the model's own setting first, then the provider's, then the host's, then the default for unknown hosts. */
export function resolveCompat(model: Model): OpenAICompat {
  const { byHost, byProvider } = findVendors(model);
  return {
    ...unknownHost,
    ...byHost?.compat(model.id),
    ...byProvider?.compat(model.id),
    ...(model.compat as Partial<OpenAICompat> | undefined),
  };
}
