import { join } from "node:path";
import { expect, test } from "vitest";
import { readCustomProviders } from "../../src/models/custom-providers.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();
const path = () => join(workspace.agentDir, "models.json");

const baseUrl = "http://127.0.0.1:1";
const provider = { baseUrl, api: "openai-completions", models: [{ id: "m" }] };

test("a model needs only an id; the rest has defaults, and headers and compat of provider and model are joined", async () => {
  await workspace.write("agent/models.json", {
    future: 1,
    providers: {
      local: {
        ...provider,
        apiKey: "$KEY",
        headers: { "x-a": "1", "x-b": "1" },
        compat: { a: 1, b: 1 },
        models: [
          { id: "m", unknown: true },
          {
            id: "n",
            name: "N",
            reasoning: true,
            input: ["text", "image"],
            contextWindow: 5,
            maxTokens: 2,
            headers: { "x-b": "2" },
            compat: { b: 2 },
          },
        ],
      },
    },
  });
  const shared = {
    api: "openai-completions",
    provider: "local",
    baseUrl,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
  expect(await readCustomProviders(path())).toEqual([
    {
      name: "local",
      apiKey: "$KEY",
      endpoint: {
        api: "openai-completions",
        provider: "local",
        baseUrl,
        headers: { "x-a": "1", "x-b": "1" },
        compat: { a: 1, b: 1 },
      },
      authHeader: false,
      change: { baseUrl, headers: { "x-a": "1", "x-b": "1" }, compat: { a: 1, b: 1 } },
      modelChanges: new Map(),
      models: [
        {
          ...shared,
          id: "m",
          name: "m",
          reasoning: false,
          input: ["text"],
          contextWindow: 128_000,
          maxTokens: 16_384,
          headers: { "x-a": "1", "x-b": "1" },
          compat: { a: 1, b: 1 },
        },
        {
          ...shared,
          id: "n",
          name: "N",
          reasoning: true,
          input: ["text", "image"],
          contextWindow: 5,
          maxTokens: 2,
          headers: { "x-a": "1", "x-b": "2" },
          compat: { a: 1, b: 2 },
        },
      ],
    },
  ]);
});

test("no file, and a file without providers, are no providers", async () => {
  expect(await readCustomProviders(path())).toEqual([]);
  await workspace.write("agent/models.json", {});
  expect(await readCustomProviders(path())).toEqual([]);
});

test.each([
  ["{", /models\.json is not valid JSON/],
  [{ providers: [] }, /models\.json: "providers" must be an object/],
  [{ providers: { x: 5 } }, /models\.json, provider "x" must be an object/],
  [
    { providers: { x: { ...provider, baseUrl: undefined } } },
    /provider "x", model 1: Field "baseUrl" must be a string, but is missing here and in the provider/,
  ],
  [
    { providers: { x: { baseUrl, models: [{ id: "m", api: "openai-completions" }, { id: "n" }] } } },
    /provider "x", model 2: Field "api" must be a string, but is missing here and in the provider/,
  ],
  [{ providers: { x: { ...provider, models: [{ id: "m", api: "opnai" }] } } }, /provider "x", model 1: Unknown api "opnai"/],
  [
    { providers: { x: { modelOverrides: { m: { reasoning: "yes" } } } } },
    /provider "x", modelOverrides "m": Field "reasoning" must be a boolean/,
  ],
  [
    { providers: { x: { ...provider, api: "openai-completion" } } },
    /provider "x": Unknown api "openai-completion"\. Did you mean "openai-completions"\? Expected one of anthropic-messages, .*google-generative-ai(, [\w-]+)*\.$/,
  ],
  [{ providers: { x: { ...provider, models: {} } } }, /provider "x": Field "models" must be an array/],
  [{ providers: { x: { ...provider, models: ["m"] } } }, /provider "x", model 1 must be an object/],
  [
    { providers: { x: { ...provider, models: [{ id: "m" }, { name: "n" }] } } },
    /provider "x", model 2: Field "id" must be a string, but is missing/,
  ],
  [
    { providers: { x: { ...provider, models: [{ id: "m", input: ["audio"] }] } } },
    /model 1: Field "input\.0" must be "text" or "image", but is "audio"/,
  ],
  [{ providers: { x: { ...provider, headers: { a: 1 } } } }, /provider "x": Field "headers\.a" must be a string\.$/],
])("%j is an error that names file, provider and field, exit code 1", async (content, message) => {
  await workspace.write("agent/models.json", content);
  await expect(async () => readCustomProviders(path())).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(message),
  });
});

test("comments and trailing commas are skipped, and an error after them names its line", async () => {
  const text = `// mine\n{ "providers": { /* the "only" one */ "x": ${JSON.stringify(provider)}, }, }\n`;
  await workspace.write("agent/models.json", `\uFEFF${text}`);
  expect((await readCustomProviders(path())).map(({ name }) => name)).toEqual(["x"]);
  await workspace.write("agent/models.json", '// one\n{ "providers": { // two\n  "x": "//", // three\n  y } }');
  await expect(readCustomProviders(path())).rejects.toThrow("models.json is not valid JSON: it breaks in line 4, column 3.");
});

test("address and api come from the model, the provider, or the built-in provider with this name", async () => {
  await workspace.write("agent/models.json", {
    providers: {
      mixed: {
        baseUrl: "http://a.example",
        models: [
          { id: "one", api: "openai-completions" },
          { id: "two", api: "anthropic-messages", baseUrl: "http://b.example" },
        ],
      },
      anthropic: { models: [{ id: "claude-own" }] },
    },
  });
  const [mixed, anthropic] = await readCustomProviders(path());
  expect(mixed?.models).toMatchObject([
    { id: "one", api: "openai-completions", baseUrl: "http://a.example" },
    { id: "two", api: "anthropic-messages", baseUrl: "http://b.example" },
  ]);
  expect(mixed?.endpoint).toBeUndefined();
  expect(anthropic?.models).toMatchObject([{ api: "anthropic-messages", baseUrl: expect.stringContaining("api.anthropic.com") }]);
});

test("a model of an api of related programs that we do not have is reported and left out; the others stay", async () => {
  const models = [{ id: "far", api: "google-vertex" }, { id: "near" }];
  await workspace.write("agent/models.json", { providers: { x: { ...provider, models } } });
  const problems: string[] = [];
  const [x] = await readCustomProviders(path(), (problem) => void problems.push(problem));
  expect(x?.models.map(({ id }) => id)).toEqual(["near"]);
  expect(problems).toEqual([`${path()}, provider "x", model 1: pi has no api "google-vertex", so far cannot be used.`]);
});

test("the differences of an endpoint have the names of related programs, too", async () => {
  const compat = {
    supportsDeveloperRole: false,
    supportsReasoningEffort: false,
    supportsUsageInStreaming: false,
    maxTokensField: "max_tokens",
    requiresToolResultName: true,
    requiresAssistantAfterToolResult: true,
    requiresThinkingAsText: true,
    requiresReasoningContentOnAssistantMessages: true,
    thinkingFormat: "qwen",
    cacheControlFormat: "anthropic",
    supportsStrictMode: true,
    supportsLongCacheRetention: true,
    openRouterRouting: { only: ["x"] },
    vercelGatewayRouting: { order: ["y"] },
    nullContent: false,
  };
  const model = {
    ...{ id: "m", compat, samplingParams: { top_p: 0.5 } },
    thinkingLevelMap: { off: null, minimal: null, xhigh: null, max: "ultra" },
    promptCache: { short: 300 },
    inputLimits: {},
  };
  await workspace.write("agent/models.json", { providers: { x: { ...provider, models: [model] } } });
  const problems: string[] = [];
  const [x] = await readCustomProviders(path(), (problem) => void problems.push(problem));
  expect(problems).toEqual([]);
  expect(x?.models[0]?.compat).toEqual({
    developerRole: false,
    reasoningEffort: false,
    includeUsage: false,
    maxTokensField: "max_tokens",
    toolResultName: true,
    assistantAfterToolResult: true,
    thinkingAsText: true,
    requireReasoningContent: true,
    thinkingSwitch: "enable_thinking",
    cacheMarkers: true,
    strictTools: true,
    longCache: true,
    nullContent: false,
    levelEfforts: { off: null, minimal: null, xhigh: "ultra" },
    body: { provider: { only: ["x"] }, providerOptions: { gateway: { order: ["y"] } }, top_p: 0.5 },
  });
});

test("SC-004 a value that is wrong is not quoted where it may be a key", async () => {
  await workspace.write("agent/models.json", {
    providers: { x: { ...provider, apiKey: ["sk-5ecret"], headers: { authorization: { bearer: "sk-5ecret" } } } },
  });
  const error = await Promise.resolve(readCustomProviders(path())).catch((reason: unknown) => reason);
  expect(String(error)).toMatch(/Field "(apiKey|headers\.authorization)" must be a string/);
  expect(String(error)).not.toContain("5ecret");
});
