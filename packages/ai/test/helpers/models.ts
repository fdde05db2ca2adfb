import type { Model } from "../../src/index.ts";

/** A model of an api, served from `baseUrl` by a provider that needs no key. Prices are per million tokens, so 1 is easy to check. */
export function testModel(api: string, baseUrl: string, overrides: Partial<Model> = {}): Model {
  return {
    id: "test-model",
    name: "Test model",
    api,
    provider: "test",
    baseUrl,
    reasoning: false,
    input: ["text", "image"],
    contextWindow: 100_000,
    maxTokens: 10_000,
    cost: { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 4 },
    ...overrides,
  };
}
