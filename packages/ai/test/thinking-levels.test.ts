import { beforeAll, describe, expect, test } from "vitest";
import { anthropicWriter } from "../src/apis/anthropic-messages/request.ts";
import { googleWriter } from "../src/apis/google-generative-ai/request.ts";
import { completionsWriter } from "../src/apis/openai-completions/request.ts";
import { responsesWriter } from "../src/apis/openai-responses/request.ts";
import {
  clampThinkingLevel,
  createScriptedModel,
  loadProviderModels,
  type Model,
  providers,
  type ThinkingLevel,
  thinkingLevels,
  thinkingLevelsOf,
} from "../src/index.ts";
import { assistant, user } from "./helpers/messages.ts";
import { testModel } from "./helpers/models.ts";

const bodies: Readonly<Record<string, (request: Parameters<typeof anthropicWriter.createBody>[0]) => unknown>> = {
  "anthropic-messages": anthropicWriter.createBody,
  "google-generative-ai": googleWriter.createBody,
  "openai-completions": completionsWriter.createBody,
  "openai-responses": responsesWriter.createBody,
};

/** The whole request of a short conversation. */
function requestOf(model: Model, reasoning: ThinkingLevel): string {
  const { api } = model;
  const context = { messages: [user("hi"), assistant(model, [{ type: "text", text: "yes" }]), user("and?")] };
  return JSON.stringify(bodies[api]?.({ model, context, options: { reasoning } }));
}

/** Endpoints that are in no catalog, with what is particular about each. */
const endpoints: readonly Model[] = [
  ["openai-completions", { provider: "acme" }],
  ["openai-completions", { provider: "zai" }],
  ["openai-completions", { provider: "qwen" }],
  ["openai-completions", { provider: "moonshot", id: "kimi-k2-thinking" }],
  ["openai-completions", { provider: "ollama" }],
  ["openai-completions", { provider: "openai", id: "gpt-5" }],
  ["openai-responses", { provider: "openai", id: "o3" }],
  ["openai-responses", { provider: "openai", id: "gpt-5.1-codex" }],
  ["anthropic-messages", { provider: "acme", id: "claude-sonnet-4-5", maxTokens: 0 }],
  ["anthropic-messages", { provider: "acme", id: "claude-sonnet-4-5", maxTokens: 1024 }],
  ["anthropic-messages", { provider: "acme", compat: { thinking: "adaptive", maxEffort: "xhigh" } }],
  ["google-generative-ai", { provider: "acme", id: "gemini-2.5-flash" }],
].map(([api, overrides]) => testModel(api as string, "https://acme.example", { reasoning: true, ...(overrides as object) }));

test.each([
  ["openai-completions", {}],
  ["openai-responses", { id: "gpt-5.4" }],
  ["anthropic-messages", { compat: { thinking: "adaptive" } }],
])("a model of %s can name the effort of each level, and the levels that it lacks", (api, overrides) => {
  const levelEfforts = { off: null, minimal: null, low: null, high: "strong", xhigh: "ultra" };
  const { compat, ...rest } = overrides as Partial<Model>;
  const model = testModel(api, "https://acme.example", { reasoning: true, ...rest, compat: { ...compat, levelEfforts } });
  expect(thinkingLevelsOf(model)).toEqual(["medium", "high", "xhigh"]);
  expect(clampThinkingLevel("off", model)).toBe("medium");
  expect(requestOf(model, "low")).toBe(requestOf(model, "medium"));
  expect(requestOf(model, "medium")).toContain('"medium"');
  expect(requestOf(model, "high")).toContain('"strong"');
  expect(requestOf(model, "xhigh")).toContain('"ultra"');
});

describe("the levels that a model offers", () => {
  const models: Model[] = [...endpoints];
  beforeAll(async () => {
    for (const { provider } of providers) {
      const own = await loadProviderModels(provider);
      // Azure's have no address of their own.
      models.push(...own.map((model) => ({ ...model, baseUrl: model.baseUrl || "https://ours.openai.azure.com" })));
    }
  });

  test("make requests that differ from each other", () => {
    for (const model of models) {
      const requests = thinkingLevelsOf(model).map((level) => requestOf(model, level));
      expect(new Set(requests).size, `${model.provider}/${model.id}`).toBe(requests.length);
    }
  });

  test("are all that requests can tell apart: any other level becomes the one with the same request", () => {
    for (const model of models) {
      const offered = thinkingLevelsOf(model);
      for (const level of thinkingLevels) {
        const clamped = clampThinkingLevel(level, model);
        expect(offered, `${model.provider}/${model.id}:${level}`).toContain(clamped);
        if (model.reasoning)
          expect(requestOf(model, clamped), `${model.provider}/${model.id}:${level}`).toBe(requestOf(model, level));
      }
    }
  });
});

const all = [...thinkingLevels];

test.each<[string, string, ThinkingLevel[]]>([
  ["anthropic", "claude-sonnet-4-5", ["off", "minimal", "low", "medium", "high"]],
  ["anthropic", "claude-opus-5-5", ["off", "low", "medium", "high", "xhigh"]],
  ["anthropic", "claude-haiku-5-5", ["off", "low", "medium", "high"]],
  ["openai", "gpt-6.1-sol", ["off", "low", "medium", "high", "xhigh"]],
  ["openai", "gpt-5", ["off", "minimal", "low", "medium", "high"]],
  ["openai", "gpt-5-pro", ["off", "high"]],
  ["openai", "gpt-5.5-pro", ["off", "medium", "high", "xhigh"]],
  ["openai", "gpt-4.1", ["off"]],
  ["google", "gemini-2.5-pro", ["off", "minimal", "low", "medium", "high"]],
  ["google", "gemini-4-argon", ["off", "low", "medium", "high"]],
  ["openrouter", "anthropic/claude-sonnet-5.5", all],
  ["deepseek", "deepseek-v4-pro", ["off", "low", "high"]],
  ["groq", "qwen/qwen3.8-27b", ["off", "medium"]],
  ["mistral", "mistral-medium-3-5", ["off"]],
])("%s/%s offers %j", async (provider, id, levels) => {
  const model = (await loadProviderModels(provider)).find((candidate) => candidate.id === id) as Model;
  expect(thinkingLevelsOf(model)).toEqual(levels);
});

test("a script and an api that was added are told every level", () => {
  for (const reasoning of [true, false]) {
    const script = createScriptedModel({ script: [], overrides: { reasoning } });
    const added = testModel("my-api", "", { reasoning });
    const own = testModel("constructor", "", { reasoning });
    for (const model of [script, added, own]) expect(thinkingLevelsOf(model)).toEqual(reasoning ? all : ["off"]);
  }
});
