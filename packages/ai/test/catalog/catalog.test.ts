import { afterEach, describe, expect, test, vi } from "vitest";
import { environmentKey, keyVariablesOf, loadProviderModels, providers } from "../../src/index.ts";

/** How each provider is spoken to; `openai` moves to the Responses API with the constant in scripts/catalog/sources.ts. */
const apis: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["anthropic-messages"],
  openai: ["openai-completions", "openai-responses"],
  google: ["google-generative-ai"],
  "azure-openai": ["openai-responses"],
};

describe("the providers", () => {
  test("are asked for a key in this order", () => {
    expect(providers.map(({ provider }) => provider)).toEqual([
      "anthropic",
      "openai",
      "google",
      "openrouter",
      "xai",
      "groq",
      "mistral",
      "deepseek",
      "cerebras",
      "together",
      "azure-openai",
    ]);
  });

  test("OC-032 only Azure needs a base URL of the user's own", async () => {
    expect(providers.filter(({ needsBaseUrl }) => needsBaseUrl)).toEqual([
      { provider: "azure-openai", defaultModelId: "gpt-6-sol", needsBaseUrl: true },
    ]);
    expect(new Set((await loadProviderModels("azure-openai")).map(({ baseUrl }) => baseUrl))).toEqual(new Set([""]));
  });

  test.each(["unknown", "", "__proto__", "constructor"])("that do not exist (%j) have no models", async (name) => {
    expect(await loadProviderModels(name)).toEqual([]);
  });
});

describe.each(providers)("$provider", ({ provider, defaultModelId, needsBaseUrl }) => {
  test("has its default model among its models, and a variable for its key", async () => {
    const models = await loadProviderModels(provider);
    expect(models.filter(({ id }) => id === defaultModelId)).toHaveLength(1);
    expect(keyVariablesOf(provider)).not.toEqual([]);
  });

  test("has whole models, each once", async () => {
    const models = await loadProviderModels(provider);
    expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
    for (const model of models) {
      const { cost } = model;
      expect(model.provider).toBe(provider);
      expect(apis[provider] ?? ["openai-completions"]).toContain(model.api);
      expect(model.baseUrl).toMatch(needsBaseUrl ? /^$/ : /^https:\/\/[^/].*[^/]$/);
      expect(model.name).not.toMatch(/^$|\//);
      expect(model.input[0]).toBe("text");
      expect(model.contextWindow).toBeGreaterThanOrEqual(32_000);
      expect(model.maxTokens).toBeLessThanOrEqual(model.contextWindow);
      expect(Math.min(cost.input, cost.output), model.id).toBeGreaterThan(0);
      expect(cost.cacheRead, model.id).toBeLessThanOrEqual(cost.input);
      expect(cost.cacheWrite, model.id).toBeLessThanOrEqual(2 * cost.input);
    }
  });

  test("has few enough models to load in passing, and none that cannot chat", async () => {
    const models = await loadProviderModels(provider);
    expect(models.length).toBeLessThanOrEqual(150);
    expect(models.filter(({ id }) => /embed|image|audio|tts|whisper|moderation|guard|transcribe|realtime|ocr/.test(id))).toEqual(
      [],
    );
  });
});

test("a model of the catalog is a whole one", async () => {
  const models = await loadProviderModels("anthropic");
  expect(models.find(({ id }) => id === "claude-opus-4-5")).toEqual({
    id: "claude-opus-4-5",
    name: "Claude Opus 4.5",
    api: "anthropic-messages",
    provider: "anthropic",
    baseUrl: "https://api.anthropic.com",
    reasoning: true,
    input: ["text", "image"],
    contextWindow: 200_000,
    maxTokens: 64_000,
    cost: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  });
});

test("two models never share what a caller may change", async () => {
  const models = (await loadProviderModels("anthropic")).filter(({ compat }) => compat);
  expect(models.map(({ compat }) => compat)).toEqual([{ disableThinking: false }, { disableThinking: false }]);
  expect(new Set(models.map(({ compat }) => compat)).size).toBe(2);
  expect(new Set(models.map(({ input }) => input)).size).toBe(2);
});

describe("keys from the environment", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("have the vendors' own names, Google's newer one first", () => {
    expect(providers.flatMap(({ provider }) => keyVariablesOf(provider))).toEqual([
      "ANTHROPIC_API_KEY",
      "OPENAI_API_KEY",
      "GEMINI_API_KEY",
      "GOOGLE_API_KEY",
      "OPENROUTER_API_KEY",
      "XAI_API_KEY",
      "GROQ_API_KEY",
      "MISTRAL_API_KEY",
      "DEEPSEEK_API_KEY",
      "CEREBRAS_API_KEY",
      "TOGETHER_API_KEY",
      "AZURE_OPENAI_API_KEY",
    ]);
  });

  test("are taken from the first variable that is not empty", () => {
    vi.stubEnv("GEMINI_API_KEY", "  ");
    vi.stubEnv("GOOGLE_API_KEY", "google-key");
    expect(environmentKey("google")).toBe("google-key");
    vi.stubEnv("GEMINI_API_KEY", "gemini-key");
    expect(environmentKey("google")).toBe("gemini-key");
    expect(environmentKey("local")).toBeUndefined();
  });
});
