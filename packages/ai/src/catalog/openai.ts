import type { Model } from "../types.ts";

function gpt(id: string, name: string, cost: Model["cost"], contextWindow = 400_000, maxTokens = 128_000): Model {
  return {
    id,
    name,
    api: "openai-completions",
    provider: "openai",
    baseUrl: "https://api.openai.com/v1",
    reasoning: id.startsWith("gpt-5"),
    input: ["text", "image"],
    contextWindow,
    maxTokens,
    cost,
  };
}

/** Source: the provider's model pages and price list. */
export const openaiModels: readonly Model[] = [
  gpt("gpt-5.1", "GPT-5.1", { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 0 }),
  gpt("gpt-5-mini", "GPT-5 mini", { input: 0.25, output: 2, cacheRead: 0.025, cacheWrite: 0 }),
  gpt("gpt-5-nano", "GPT-5 nano", { input: 0.05, output: 0.4, cacheRead: 0.005, cacheWrite: 0 }),
  gpt("gpt-4.1", "GPT-4.1", { input: 2, output: 8, cacheRead: 0.5, cacheWrite: 0 }, 1_047_576, 32_768),
];
