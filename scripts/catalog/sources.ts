import type { Api, ModelCost } from "../../packages/ai/src/types.ts";
import type { Facts } from "./families.ts";

/**
 * The api that OpenAI's models are asked with. Its vendor recommends `openai-responses`, and the newest models call tools on no other
 * (the page of GPT-6.1 Terra says so).
 */
const openaiApi: Api = "openai-responses";

/** Written by hand: a model that the data lack, or what they have wrong of it. */
export interface OverlayModel extends Partial<Facts> {
  id: string;
  cost?: ModelCost;
  compat?: Record<string, unknown>;
}

/** Where the models of one provider come from. */
export interface CatalogSource {
  provider: string;
  api: Api;
  /** Empty where it is the user's own. */
  baseUrl: string;
  /** The provider's id in the price list. */
  prices: string;
  /**
   * `vendor`: what llm-zoo lists of the vendor named so. `router`: everything in the price list that is `vendor/name`. `written`: the
   * models below and no others, for hosts whose lists in the data keep what they have switched off. `copy`: the models of the
   * provider named so.
   */
  ids: { kind: "vendor"; vendor: string } | { kind: "router" } | { kind: "written" } | { kind: "copy"; of: string };
  /** What the data lack or have wrong, and for `written` all there is. */
  models?: readonly OverlayModel[];
  /** Models that the catalog leaves out, where llm-zoo does not have them. */
  former?: readonly (OverlayModel & Facts)[];
  /** Providers all of whose models are served here too, at their price; by what precedes the id. */
  vendors?: Readonly<Record<string, string>>;
  /** Ids to leave out. */
  without?: readonly string[];
}

function usd(input: number, output: number, cacheRead = input, cacheWrite = 0): ModelCost {
  return { input, output, cacheRead, cacheWrite };
}

/** Vendors come before the hosts that serve their models too. Base URLs and ids: each vendor's API reference, November 2026. */
export const sources: readonly CatalogSource[] = [
  {
    provider: "anthropic",
    api: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    prices: "anthropic",
    ids: { kind: "vendor", vendor: "anthropic" },
    // Newer than the data. Source: platform.claude.com/docs, the models' overview pages; thinking: the migration guides of both 5.5.
    models: [
      {
        id: "claude-sonnet-5-5",
        name: "Claude Sonnet 5.5",
        reasoning: true,
        image: true,
        contextWindow: 1_000_000,
        maxTokens: 128_000,
        cost: usd(2, 10, 0.1, 2.5),
        compat: { disableThinking: false },
      },
      { id: "claude-opus-5-5", compat: { disableThinking: false } },
      {
        id: "claude-haiku-5-5",
        name: "Claude Haiku 5.5",
        reasoning: true,
        image: true,
        contextWindow: 1_000_000,
        maxTokens: 128_000,
        // Prompts of more than 100,000 tokens cost five times as much.
        cost: usd(0.1, 0.5, 0.01, 0.125),
      },
    ],
  },
  {
    provider: "openai",
    former: [
      { id: "gpt-4", name: "GPT-4", reasoning: false, image: false, contextWindow: 8192, maxTokens: 8192 },
      { id: "gpt-3.5-turbo", name: "GPT-3.5 Turbo", reasoning: false, image: false, contextWindow: 16_385, maxTokens: 4096 },
      { id: "gpt-5-chat", name: "GPT-5 Chat", reasoning: false, image: true, contextWindow: 128_000, maxTokens: 16_384 },
      // Does not reason, other than llm-zoo says.
      { id: "chatgpt-4o-latest", name: "ChatGPT-4o", reasoning: false, image: true, contextWindow: 128_000, maxTokens: 16_384 },
    ],
    api: openaiApi,
    baseUrl: "https://api.openai.com/v1",
    prices: "openai",
    ids: { kind: "vendor", vendor: "openai" },
    // Newer than the data. Source: developers.openai.com/api/docs/models.
    models: [
      {
        id: "gpt-6.1-sol",
        name: "GPT-6.1 Sol",
        reasoning: true,
        image: true,
        contextWindow: 1_050_000,
        maxTokens: 128_000,
        cost: usd(2, 10, 0.1, 2.5),
      },
      {
        id: "gpt-6.1-terra",
        name: "GPT-6.1 Terra",
        reasoning: true,
        image: true,
        contextWindow: 1_050_000,
        maxTokens: 128_000,
        cost: usd(1, 5, 0.05, 1.25),
      },
    ],
  },
  {
    provider: "google",
    former: [
      {
        id: "gemini-2.0-flash",
        name: "Gemini 2.0 Flash",
        reasoning: false,
        image: true,
        contextWindow: 1_048_576,
        maxTokens: 8192,
      },
      {
        id: "gemini-2.0-flash-lite",
        name: "Gemini 2.0 Flash-Lite",
        ...{ reasoning: false, image: true, contextWindow: 1_048_576, maxTokens: 8192 },
      },
      { id: "gemini-1.5-pro", name: "Gemini 1.5 Pro", reasoning: false, image: true, contextWindow: 2_097_152, maxTokens: 8192 },
      {
        id: "gemini-1.5-flash",
        name: "Gemini 1.5 Flash",
        reasoning: false,
        image: true,
        contextWindow: 1_048_576,
        maxTokens: 8192,
      },
    ],
    api: "google-generative-ai",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    prices: "google",
    ids: { kind: "vendor", vendor: "google" },
    // Gemini 4 is newer than the data; half of this price until 30 November 2026. Source: ai.google.dev/gemini-api/docs. An answer of
    // up to 65,536 tokens is the default; it may share the whole window.
    models: [
      {
        id: "gemini-4-argon",
        name: "Gemini 4 Argon",
        reasoning: true,
        image: true,
        contextWindow: 1_048_576,
        maxTokens: 65_536,
        cost: usd(4, 20, 0.2),
      },
      {
        id: "gemini-4-carbon",
        name: "Gemini 4 Carbon",
        reasoning: true,
        image: true,
        contextWindow: 1_048_576,
        maxTokens: 65_536,
        cost: usd(4, 20, 0.2),
      },
      { id: "gemini-2.5-flash-lite" },
    ],
  },
  {
    provider: "xai",
    api: "openai-completions",
    baseUrl: "https://api.x.ai/v1",
    prices: "x-ai",
    ids: { kind: "vendor", vendor: "xai" },
    // Missing in the price list, or in llm-zoo. Source: docs.x.ai/developers/models.
    models: [{ id: "grok-4.7", cost: usd(2, 6, 0.5) }, { id: "grok-build-0.1" }],
  },
  {
    provider: "deepseek",
    api: "openai-completions",
    baseUrl: "https://api.deepseek.com/v1",
    prices: "deepseek",
    ids: { kind: "vendor", vendor: "deepseek" },
    // Missing in the price list. Source: api-docs.deepseek.com/quick_start/pricing, hours of low demand.
    models: [{ id: "deepseek-flash", cost: usd(0.15, 0.6, 0.003) }],
    // An old name that `deepseek-flash` answers to.
    without: ["deepseek-v4-flash"],
  },
  {
    provider: "groq",
    api: "openai-completions",
    baseUrl: "https://api.groq.com/openai/v1",
    prices: "groq",
    ids: { kind: "written" },
    // Source: console.groq.com/docs/models, groq.com/pricing.
    models: [
      { id: "openai/gpt-oss-120b", name: "GPT-OSS 120B", maxTokens: 65_536 },
      { id: "openai/gpt-oss-20b", name: "GPT-OSS 20B", maxTokens: 65_536 },
      { id: "qwen/qwen3.8-27b", name: "Qwen3.8 27B", contextWindow: 131_042, maxTokens: 16_384, cost: usd(0.8, 4, 0.4) },
      { id: "qwen/qwen3.6-27b", name: "Qwen3.6 27B", contextWindow: 131_072, maxTokens: 32_768, cost: usd(0.6, 3) },
      { id: "llama-3.3-70b-versatile", name: "Llama 3.3 70B Versatile" },
      { id: "llama-3.1-8b-instant", name: "Llama 3.1 8B Instant" },
    ],
  },
  {
    provider: "mistral",
    api: "openai-completions",
    baseUrl: "https://api.mistral.ai/v1",
    prices: "mistral",
    ids: { kind: "written" },
    // Source: docs.mistral.ai/models. Large 4 is in preview, at half of this price.
    models: [
      { id: "mistral-large-4", name: "Mistral Large 4", cost: usd(1.36, 4.18, 0.14) },
      { id: "mistral-medium-3-5" },
      { id: "mistral-small-2603" },
      { id: "mistral-large-2512", name: "Mistral Large 3" },
      { id: "ministral-14b-2512", name: "Ministral 3 14B" },
      { id: "ministral-8b-2512", name: "Ministral 3 8B" },
      { id: "ministral-3b-2512", name: "Ministral 3 3B", contextWindow: 131_072, maxTokens: 131_072 },
      { id: "codestral-2508" },
    ],
  },
  {
    provider: "cerebras",
    api: "openai-completions",
    baseUrl: "https://api.cerebras.ai/v1",
    prices: "cerebras",
    ids: { kind: "written" },
    // Source: inference-docs.cerebras.ai/models. Windows are those of the free tier for Qwen, of the paid one for GPT-OSS.
    models: [{ id: "gpt-oss-120b" }, { id: "qwen-3.8-27b", name: "Qwen3.8 27B", contextWindow: 65_536, cost: usd(0.99, 1.49) }],
  },
  {
    provider: "together",
    api: "openai-completions",
    baseUrl: "https://api.together.xyz/v1",
    prices: "together",
    ids: { kind: "written" },
    // Source: docs.together.ai/docs/serverless-models, and the windows that the API's model list gives.
    models: [
      { id: "zai-org/GLM-5.3", name: "GLM 5.3", contextWindow: 1_048_575, maxTokens: 262_144, cost: usd(1.4, 4.4, 0.26) },
      { id: "zai-org/GLM-5.3-Flash", name: "GLM 5.3 Flash", cost: usd(0.15, 0.5) },
      { id: "zai-org/GLM-5.2", name: "GLM 5.2", contextWindow: 512_000, cost: usd(1.4, 4.4, 0.26) },
      { id: "moonshotai/Kimi-K3", name: "Kimi K3", cost: usd(3, 15, 0.3) },
      // Without images here, other than at its vendor.
      { id: "moonshotai/Kimi-K2.7-Code", name: "Kimi K2.7 Code", image: false, cost: usd(0.95, 4, 0.19) },
      { id: "deepseek-ai/DeepSeek-V4.1-Flash", name: "DeepSeek V4.1 Flash", cost: usd(0.3, 1.2, 0.006) },
      { id: "deepseek-ai/DeepSeek-V4-Pro-0813", name: "DeepSeek V4 Pro", cost: usd(1.32, 3.96, 0.13) },
      { id: "MiniMaxAI/MiniMax-M3", name: "MiniMax M3", contextWindow: 524_288, cost: usd(0.3, 1.2) },
      { id: "Qwen/Qwen3.6-Plus", name: "Qwen3.6 Plus", image: false, cost: usd(0.5, 3) },
      { id: "nvidia/nemotron-3-ultra-550b-a55b", name: "Nemotron 3 Ultra", contextWindow: 512_288, cost: usd(0.6, 3.6, 0.2) },
      { id: "openai/gpt-oss-120b", name: "GPT-OSS 120B", cost: usd(0.15, 0.6) },
      { id: "openai/gpt-oss-20b", name: "GPT-OSS 20B", cost: usd(0.05, 0.2) },
      { id: "google/gemma-4-31B-it", name: "Gemma 4 31B", cost: usd(0.39, 0.97) },
      { id: "meta-llama/Llama-3.3-70B-Instruct-Turbo", name: "Llama 3.3 70B Turbo", maxTokens: 8_192 },
    ],
  },
  {
    provider: "openrouter",
    api: "openai-completions",
    baseUrl: "https://openrouter.ai/api/v1",
    prices: "openrouter",
    ids: { kind: "router" },
    // Source: openrouter.ai/models; it adds nothing to a vendor's price, and what the list has for these is not always that.
    vendors: { "anthropic/": "anthropic", "openai/": "openai", "google/": "google", "x-ai/": "xai" },
  },
  {
    provider: "azure-openai",
    api: "openai-responses",
    baseUrl: "",
    prices: "azure",
    // The same models at the same price in its Global Standard class; the price list has none that are present there.
    ids: { kind: "copy", of: "openai" },
  },
];
