import type { Model } from "../types.ts";

/** What the built-in catalog knows of a provider without loading its models. */
export interface ProviderEntry {
  provider: string;
  /** The model used when a user names only the provider, or only has its key. */
  defaultModelId: string;
}

/** Providers of the built-in catalog, in the order in which their keys are looked for. */
export const providers: readonly ProviderEntry[] = [
  { provider: "anthropic", defaultModelId: "claude-sonnet-4-5" },
  { provider: "openai", defaultModelId: "gpt-5.1" },
];

const loaders: Readonly<Record<string, () => Promise<readonly Model[]>>> = {
  anthropic: async () => (await import("./anthropic.ts")).anthropicModels,
  openai: async () => (await import("./openai.ts")).openaiModels,
};

/** The models of a built-in provider; one file a provider, loaded on first use. Empty for unknown providers. */
export async function loadProviderModels(provider: string): Promise<readonly Model[]> {
  return Object.hasOwn(loaders, provider) ? ((await loaders[provider]?.()) ?? []) : [];
}
