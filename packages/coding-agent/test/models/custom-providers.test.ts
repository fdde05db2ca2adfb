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
      models: [
        {
          ...shared,
          id: "m",
          name: "m",
          reasoning: false,
          input: ["text"],
          contextWindow: 0,
          maxTokens: 0,
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
  [{ providers: { x: { ...provider, baseUrl: undefined } } }, /provider "x": Field "baseUrl" must be a string, but is missing/],
  [
    { providers: { x: { ...provider, api: "openai-completion" } } },
    /provider "x": Unknown api "openai-completion"\. Did you mean "openai-completions"\? Expected one of anthropic-messages, .*google-generative-ai\.$/,
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

test("SC-004 a value that is wrong is not quoted where it may be a key", async () => {
  await workspace.write("agent/models.json", {
    providers: { x: { ...provider, apiKey: ["sk-5ecret"], headers: { authorization: { bearer: "sk-5ecret" } } } },
  });
  const error = await Promise.resolve(readCustomProviders(path())).catch((reason: unknown) => reason);
  expect(String(error)).toMatch(/Field "(apiKey|headers\.authorization)" must be a string/);
  expect(String(error)).not.toContain("5ecret");
});
