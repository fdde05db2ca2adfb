import { describe, expect, test } from "vitest";
import { buildCatalog } from "../../../../scripts/catalog/build.ts";
import { plainName } from "../../../../scripts/catalog/facts.ts";
import { familyOf } from "../../../../scripts/catalog/families.ts";
import { priceOf } from "../../../../scripts/catalog/prices.ts";
import type { CatalogSource, OverlayModel } from "../../../../scripts/catalog/sources.ts";

describe("prices", () => {
  test("are those in force, not those that a model began with", () => {
    expect(priceOf("openai", "gpt-5.6-luna")).toEqual({ input: 0.2, output: 1.2, cacheRead: 0.02, cacheWrite: 0.25 });
  });

  test("are those of short prompts where long ones cost more", () => {
    expect(priceOf("google", "gemini-2.5-pro")).toEqual({ input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 0 });
  });

  test("are those of the hours without a surcharge", () => {
    expect(priceOf("deepseek", "deepseek-v4-pro")).toEqual({ input: 0.66, output: 1.98, cacheRead: 0.022, cacheWrite: 0 });
  });

  test("count a cached token as any other where the list has no price for it", () => {
    expect(priceOf("groq", "llama-3.3-70b-versatile")).toEqual({ input: 0.59, output: 0.79, cacheRead: 0.59, cacheWrite: 0 });
  });

  test("are never those of a model whose name begins alike", () => {
    expect(priceOf("anthropic", "claude-opus-4-8-next")).toBeUndefined();
  });
});

describe("families", () => {
  test.each([
    ["anthropic/claude-opus-4.8", true],
    ["moonshotai/Kimi-K2.6", true],
    ["claude-3-5-haiku-latest", false],
    ["gpt-4o", false],
    ["gpt-5-image-mini", false],
    ["gpt-audio", false],
    ["gemini-embedding-2", false],
    ["gemini-3.1-flash-live-preview", false],
    ["gemini-2.5-flash-preview-09-2025", false],
    ["meta-llama/llama-guard-4-12b", false],
    ["openai/gpt-oss-safeguard-20b", false],
  ])("%s belongs into the catalog: %s", (id, isPresent) => {
    expect(familyOf(plainName(id)) !== undefined).toBe(isPresent);
  });
});

describe("a source", () => {
  test("keeps what is written by hand, and takes the rest from the data", () => {
    const models = build({ id: "openai/gpt-oss-120b", maxTokens: 1000 });
    expect(models).toEqual([
      {
        id: "openai/gpt-oss-120b",
        name: "GPT-OSS 120B",
        api: "openai-completions",
        provider: "groq",
        baseUrl: "https://groq.example/v1",
        reasoning: true,
        input: ["text"],
        contextWindow: 131_072,
        maxTokens: 1000,
        cost: { input: 0.15, output: 0.6, cacheRead: 0.075, cacheWrite: 0 },
      },
    ]);
  });

  test("says which model by hand has no price", () => {
    expect(() => build({ id: "openai/gpt-oss-1b", reasoning: true, image: false, contextWindow: 1, maxTokens: 1 })).toThrow(
      "groq/openai/gpt-oss-1b in scripts/catalog/sources.ts: the data lack its price or its limits, write them there.",
    );
  });

  test("says which provider it refers to too early", () => {
    const copy: CatalogSource = { ...source, ids: { kind: "copy", of: "openai" } };
    expect(() => buildCatalog([copy])).toThrow("openai must come before groq, which refers to it.");
  });
});

const source: CatalogSource = {
  provider: "groq",
  api: "openai-completions",
  baseUrl: "https://groq.example/v1",
  prices: "groq",
  ids: { kind: "written" },
};

function build(model: OverlayModel) {
  return buildCatalog([{ ...source, models: [model] }]).get("groq");
}
