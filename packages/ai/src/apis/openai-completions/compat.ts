import type { Model } from "../../types.ts";

/** How an endpoint departs from the Chat Completions API. Each field can be set in the model's `compat`. */
export interface OpenAICompat {
  /** Which field limits the answer. */
  maxTokensField: "max_completion_tokens" | "max_tokens";
  /** Whether the prompt of a reasoning model goes out under the role `developer`. */
  developerRole: boolean;
  /** Whether `stream_options: {include_usage: true}` is understood. */
  includeUsage: boolean;
  /** Whether `reasoning_effort` is understood. */
  reasoningEffort: boolean;
  /** Sent as `reasoning_effort` to switch thinking off where it is on by default. */
  effortOff?: string | undefined;
  /** Whether `store` and `prompt_cache_key` are understood. */
  promptCacheKey: boolean;
}

/** For hosts that we know nothing of: what nearly every server accepts. */
const unknownHost: OpenAICompat = {
  maxTokensField: "max_completion_tokens",
  developerRole: false,
  includeUsage: true,
  reasoningEffort: true,
  promptCacheKey: false,
};

/** By provider id, and by host for endpoints that a user named differently. */
const vendors: readonly { provider: string; host: string; compat: Partial<OpenAICompat> }[] = [
  { provider: "openai", host: "api.openai.com", compat: { developerRole: true, promptCacheKey: true } },
  { provider: "deepseek", host: "deepseek.com", compat: { maxTokensField: "max_tokens", reasoningEffort: false } },
  { provider: "zai", host: "z.ai", compat: { maxTokensField: "max_tokens", reasoningEffort: false } },
  { provider: "moonshot", host: "moonshot.ai", compat: { maxTokensField: "max_tokens" } },
  { provider: "together", host: "together.xyz", compat: { maxTokensField: "max_tokens" } },
  { provider: "chutes", host: "chutes.ai", compat: { maxTokensField: "max_tokens" } },
  { provider: "nvidia", host: "nvidia.com", compat: { maxTokensField: "max_tokens" } },
  { provider: "mistral", host: "mistral.ai", compat: { maxTokensField: "max_tokens", reasoningEffort: false } },
];

/** Resolves each field by itself: the model's own setting, else the provider's, else the host's, else the careful default. */
export function resolveCompat(model: Model): OpenAICompat {
  const host = hostOf(model.baseUrl);
  const vendor =
    vendors.find(({ provider }) => provider === model.provider) ??
    vendors.find((entry) => host === entry.host || host.endsWith(`.${entry.host}`));
  const effortOff = vendor?.provider === "openai" ? openaiEffortOff(model.id) : undefined;
  return { ...unknownHost, ...vendor?.compat, effortOff, ...(model.compat as Partial<OpenAICompat> | undefined) };
}

/** GPT-5.1 and later can be told not to think; GPT-5 itself thinks at least a little; the o-series has no such level. */
function openaiEffortOff(id: string): string | undefined {
  if (/^gpt-5\.\d/.test(id)) return "none";
  return id.startsWith("gpt-5") ? "minimal" : undefined;
}

function hostOf(baseUrl: string): string {
  return URL.parse(baseUrl)?.hostname.toLowerCase() ?? "";
}
