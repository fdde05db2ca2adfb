import type { Model } from "../types.ts";
import { type ModelRows, toModels } from "./model-rows.ts";

/** The facts about a provider that need no loading of its models. */
export interface ProviderEntry {
  provider: string;
  /** The model for users who name only the provider, or only set its key. */
  defaultModelId: string;
  /** Matches the ids of the provider's own models. */
  ownIds?: RegExp;
  /** Its models have no `baseUrl`, because every customer has a different one. A key alone does not make the provider usable. */
  needsBaseUrl?: true;
}

/** Providers of the built-in catalog, in the order in which we look for their keys. */
export const providers: readonly ProviderEntry[] = [
  { provider: "anthropic", defaultModelId: "claude-sonnet-5-5", ownIds: /^claude-/ },
  { provider: "openai", defaultModelId: "gpt-6.1-sol", ownIds: /^(?:chat)?gpt-(?!oss)|^o\d/ },
  { provider: "google", defaultModelId: "gemini-3.8-flash", ownIds: /^gemini-/ },
  { provider: "openrouter", defaultModelId: "anthropic/claude-sonnet-5.5" },
  { provider: "xai", defaultModelId: "grok-4.7", ownIds: /^grok-/ },
  { provider: "groq", defaultModelId: "openai/gpt-oss-120b" },
  {
    provider: "mistral",
    defaultModelId: "mistral-medium-3-5",
    ownIds: /^(?:open-)?(?:mi[sn]tral|magistral|codestral|devstral|pixtral)-/,
  },
  { provider: "deepseek", defaultModelId: "deepseek-v4-pro", ownIds: /^deepseek-/ },
  { provider: "cerebras", defaultModelId: "gpt-oss-120b" },
  { provider: "together", defaultModelId: "zai-org/GLM-5.3" },
  { provider: "azure-openai", defaultModelId: "gpt-6-sol", needsBaseUrl: true },
];

const loaders: Readonly<Record<string, () => Promise<{ models: ModelRows }>>> = {
  anthropic: () => import("./anthropic.generated.ts"),
  openai: () => import("./openai.generated.ts"),
  google: () => import("./google.generated.ts"),
  openrouter: () => import("./openrouter.generated.ts"),
  xai: () => import("./xai.generated.ts"),
  groq: () => import("./groq.generated.ts"),
  mistral: () => import("./mistral.generated.ts"),
  deepseek: () => import("./deepseek.generated.ts"),
  cerebras: () => import("./cerebras.generated.ts"),
  together: () => import("./together.generated.ts"),
  "azure-openai": () => import("./azure-openai.generated.ts"),
};

const loaded = new Map<string, Promise<readonly Model[]>>();

/** The models of a built-in provider, from one file per provider that is loaded on first use. Empty for unknown providers. */
export async function loadProviderModels(provider: string): Promise<readonly Model[]> {
  const load = Object.hasOwn(loaders, provider) ? loaders[provider] : undefined;
  if (!load) return [];
  const models = loaded.get(provider) ?? load().then(({ models }) => toModels(models));
  loaded.set(provider, models);
  return models;
}

/** Models that the catalog of a built-in provider no longer lists. Their ids have no date. */
export async function loadFormerModels(provider: string): Promise<readonly Model[]> {
  const { models } = await import("./former.generated.ts");
  const rows = Object.hasOwn(models, provider) ? models[provider] : undefined;
  return rows ? toModels(rows) : [];
}
