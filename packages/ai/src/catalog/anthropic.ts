import type { Model } from "../types.ts";

function claude(id: string, name: string, maxTokens: number, cost: Model["cost"], contextWindow = 200_000): Model {
  return {
    id,
    name,
    api: "anthropic-messages",
    provider: "anthropic",
    baseUrl: "https://api.anthropic.com",
    reasoning: true,
    input: ["text", "image"],
    contextWindow,
    maxTokens,
    cost,
  };
}

const opus = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 };
const sonnet = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const haiku = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 };

/** Source: the provider's model overview and price list. */
export const anthropicModels: readonly Model[] = [
  claude("claude-opus-4-5", "Claude Opus 4.5", 64_000, opus),
  claude("claude-sonnet-4-5", "Claude Sonnet 4.5", 64_000, sonnet),
  claude("claude-haiku-4-5", "Claude Haiku 4.5", 64_000, haiku),
  claude("claude-sonnet-4-20250514", "Claude Sonnet 4", 64_000, sonnet),
];
