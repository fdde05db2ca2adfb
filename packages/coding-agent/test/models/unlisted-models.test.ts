import { keyVariablesOf, providers } from "@pikit/ai";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Credentials } from "../../src/models/credentials.ts";
import { ModelRegistry } from "../../src/models/model-registry.ts";
import { resolveModel } from "../../src/models/model-resolver.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

beforeEach(() => {
  for (const { provider } of providers) for (const name of keyVariablesOf(provider)) vi.stubEnv(name, undefined);
  for (const provider of ["anthropic", "openai", "gemini", "openrouter", "azure_openai"])
    vi.stubEnv(`${provider.toUpperCase()}_API_KEY`, "sk-x");
});
afterEach(() => vi.unstubAllEnvs());

function createRegistry() {
  const { agentDir, cwd } = workspace;
  const notices: string[] = [];
  const report = (notice: string) => void notices.push(notice);
  return { registry: new ModelRegistry({ agentDir, credentials: new Credentials(agentDir), cwd, report }), notices };
}

test.each([
  // A release of a model of the catalog, or of a former one.
  [
    "anthropic",
    "claude-sonnet-4-20250514",
    { contextWindow: 200_000, maxTokens: 64_000, reasoning: true, cost: { input: 3, output: 15 } },
  ],
  ["anthropic", "claude-opus-4-20250514", { contextWindow: 200_000, maxTokens: 32_000, reasoning: true }],
  ["anthropic", "claude-3-5-sonnet-latest", { maxTokens: 8192, reasoning: false, input: ["text", "image"] }],
  ["anthropic", "claude-haiku-4-5-20251001", { name: "Claude Haiku 4.5", maxTokens: 64_000 }],
  ["anthropic", "claude-sonnet-5-5-20261101", { compat: { disableThinking: false } }],
  ["openai", "gpt-4o", { contextWindow: 128_000, maxTokens: 16_384, reasoning: false, api: "openai-responses" }],
  ["openai", "gpt-4o-2024-08-06", { maxTokens: 16_384, cost: { input: 2.5, output: 10 } }],
  ["openai", "gpt-3.5-turbo-0125", { contextWindow: 16_385, input: ["text"] }],
  ["openai", "o3-2025-04-16", { contextWindow: 200_000, reasoning: true }],
  ["google", "gemini-2.0-flash-001", { reasoning: false, maxTokens: 8192 }],
  ["google", "gemini-2.5-pro-preview-05-06", { name: "Gemini 2.5 Pro", reasoning: true }],
])("%s/%s, which no list has, is the model that it is a release of, and nothing is said", async (provider, id, facts) => {
  const { registry, notices } = createRegistry();
  expect(await registry.find(provider, id)).toMatchObject({ id, provider, ...facts });
  expect(notices).toEqual([]);
});

test.each([
  ["anthropic", "claude-sonnet-9", "claude-sonnet-5", { contextWindow: 1_000_000, maxTokens: 128_000, reasoning: true }],
  ["anthropic", "claude-sonet-4-5", "claude-sonnet-4-5", { contextWindow: 200_000, maxTokens: 64_000 }],
  ["openai", "gpt-6.2-sol", "gpt-6.1-sol", { contextWindow: 1_050_000, reasoning: true }],
  ["openai", "o5-mini", "o4-mini", { contextWindow: 200_000, reasoning: true }],
])(
  "%s/%s has the limits of %s, costs nothing, and that is said once, with the nearest names",
  async (provider, id, relative, facts) => {
    const { registry, notices } = createRegistry();
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    expect(await registry.find(provider, id)).toMatchObject({ id, name: id, provider, cost, ...facts });
    await registry.find(provider, id);
    expect(notices).toEqual([
      expect.stringMatching(
        `^${provider}/${id} is not in the catalog, but is used as named; its limits are those of ${provider}/${relative}\\. Its price is unknown: costs count as 0, also for --max-cost\\. Nearest: ${provider}/`,
      ),
    ]);
  },
);

test("an id of no family has unknown limits; a router's are those of the maker", async () => {
  const { registry, notices } = createRegistry();
  const unknown = { contextWindow: 0, maxTokens: 0, reasoning: false, input: ["text", "image"] };
  expect(await registry.find("azure-openai", "our-deployment")).toMatchObject({ ...unknown, api: "openai-responses" });
  expect(notices).toEqual([expect.stringContaining("its limits are unknown. Its price is unknown")]);
  expect(await registry.find("openrouter", "anthropic/claude-3-haiku")).toMatchObject({
    ...{ api: "openai-completions", contextWindow: 200_000, maxTokens: 8192, reasoning: false, cost: { input: 0 } },
  });
});

test("an endpoint of models.json is asked for what it does not list, at its address, with its headers, at the vendor's limits", async () => {
  const endpoint = {
    baseUrl: "https://proxy.example",
    api: "anthropic-messages",
    headers: { "x-team": "a" },
    compat: { longCache: true },
  };
  await workspace.write("agent/models.json", {
    providers: { proxy: { ...endpoint, models: [] }, shut: { ...endpoint, apiKey: "$NO_SUCH_KEY", models: [{ id: "m" }] } },
  });
  const { registry } = createRegistry();
  expect(await registry.find("proxy", "claude-opus-4-1-20250805")).toEqual({
    ...{ ...endpoint, id: "claude-opus-4-1-20250805", name: "Claude Opus 4.1", provider: "proxy", reasoning: true },
    ...{ input: ["text", "image"], contextWindow: 200_000, maxTokens: 32_000 },
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  });
  expect(await registry.find("shut", "n")).toBeUndefined();
});

test.each([
  ["groq", "llama-9"],
  ["demo", "nope"],
  ["acme", "gpt-4o"],
  ["__proto__", "gpt-4o"],
  ["openai", ""],
  ["openai", "gpt 4o"],
  ["openai", "gpt-4o\n"],
])("%s/%s is no model: no key, no such provider, or no id", async (provider, id) => {
  const { registry, notices } = createRegistry();
  expect(await registry.find(provider, id)).toBeUndefined();
  expect(notices).toEqual([]);
});

test.each([
  [{ model: "gpt-4o" }, "openai/gpt-4o"],
  [{ model: "o3:high" }, "openai/o3:high"],
  [{ model: "claude-sonnet-4-20250514:max" }, "anthropic/claude-sonnet-4-20250514:xhigh"],
  [{ model: "gemini-9-pro" }, "google/gemini-9-pro"],
  [{ model: "openai/gpt-4o" }, "openai/gpt-4o"],
  [{ model: "openai/gpt-4o", provider: "openai" }, "openai/gpt-4o"],
  [{ model: "openai/gpt-4o", provider: "openrouter" }, "openrouter/openai/gpt-4o"],
  [{ model: "openrouter/openai/gpt-4o" }, "openrouter/openai/gpt-4o"],
])("%j is %s", async (choice, expected) => {
  const { model, thinkingLevel } = await resolveModel(createRegistry().registry, choice, {});
  expect(`${model?.provider}/${model?.id}${thinkingLevel ? `:${thinkingLevel}` : ""}`).toBe(expected);
});

test("a session's model that no list has is had again with a key, and told of without one", async () => {
  const { registry, notices } = createRegistry();
  const stored = "anthropic/claude-sonnet-4-20250514";
  expect((await resolveModel(registry, {}, { defaultModel: "demo/tour" }, { stored })).model?.id).toBe("claude-sonnet-4-20250514");
  expect(notices).toEqual([]);
  vi.stubEnv("ANTHROPIC_API_KEY", undefined);
  expect((await resolveModel(registry, {}, { defaultModel: "demo/tour" }, { stored })).model?.id).toBe("tour");
  expect(notices).toEqual([`The session's model ${stored} cannot be used here any more. The default model is used.`]);
});
