import { keyVariablesOf, loadProviderModels, providers } from "@pikit/ai";
import { openai } from "@pikit/test-kit";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Credentials } from "../../src/models/credentials.ts";
import { ModelRegistry } from "../../src/models/model-registry.ts";
import { serveModels } from "../helpers/endpoints.ts";
import { openSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

beforeEach(() => {
  for (const { provider } of providers) for (const name of keyVariablesOf(provider)) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function createRegistry(providersOfFile: object): Promise<ModelRegistry> {
  await workspace.write("agent/models.json", { providers: providersOfFile });
  const { agentDir, cwd } = workspace;
  return new ModelRegistry({ agentDir, credentials: new Credentials(agentDir), cwd });
}

test("a built-in provider without models in the file has its own ones, at the address and with the headers of the file", async () => {
  const registry = await createRegistry({
    anthropic: { baseUrl: "https://proxy.example/v1", headers: { "x-team": "tools" }, apiKey: "k" },
  });
  const builtIn = await loadProviderModels("anthropic");
  const models = (await registry.available()).filter(({ provider }) => provider === "anthropic");
  expect(models.map(({ id }) => id)).toEqual(builtIn.map(({ id }) => id));
  for (const model of models) expect(model).toMatchObject({ baseUrl: "https://proxy.example/v1", headers: { "x-team": "tools" } });
  // With its key in the file, the provider also has the default model.
  expect(await registry.defaultModel()).toMatchObject({ provider: "anthropic", baseUrl: "https://proxy.example/v1" });
  expect(await registry.find("anthropic", "claude-next-9")).toMatchObject({ baseUrl: "https://proxy.example/v1" });
});

test("modelOverrides change single models; what they do not name stays, and unknown ids are ignored", async () => {
  const [first, second] = await loadProviderModels("openrouter");
  if (!first || !second) throw new Error("the provider has models");
  const registry = await createRegistry({
    openrouter: {
      modelOverrides: {
        [first.id]: { name: "Mine", contextWindow: 5, cost: { input: 7 }, compat: { openRouterRouting: { only: ["x"] } } },
        "no/such-model": { name: "Nobody" },
      },
    },
  });
  expect(await registry.findListed("openrouter", first.id)).toEqual({
    ...first,
    ...{ name: "Mine", contextWindow: 5 },
    cost: { ...first.cost, input: 7 },
    compat: { ...first.compat, body: { provider: { only: ["x"] } } },
  });
  expect(await registry.findListed("openrouter", second.id)).toEqual(second);
  expect((await registry.all()).some(({ id }) => id === "no/such-model")).toBe(false);
});

test("the key, the headers and the fields of the file are in the request, resolved, and nowhere else", async () => {
  const server = await serveModels(workspace);
  server.respond(openai.text("Hello"));
  vi.stubEnv("TEAM_NAME", "tools");
  const model = {
    ...{ id: "gpt", reasoning: true, samplingParams: { top_p: 0.5 } },
    thinkingLevelMap: { low: null, medium: null, high: "strong", xhigh: null },
    headers: { "x-secret": "!printf s3cret", "x-unset": "$NO_SUCH_VARIABLE" },
  };
  await workspace.write("agent/models.json", {
    providers: {
      mine: {
        ...{ baseUrl: `${server.url}/v1`, api: "openai-completions", apiKey: "!printf k3y", authHeader: true },
        headers: { "x-team": "team $TEAM_NAME", "x-plain": "plain" },
        models: [model],
      },
    },
  });
  const { session, events } = await openSession(workspace, { model: "mine/gpt:medium" });
  await session.prompt("Hi");
  const [request] = server.requests;
  expect(request?.headers).toMatchObject({
    ...{ authorization: "Bearer k3y", "x-team": "team tools", "x-plain": "plain", "x-secret": "s3cret" },
  });
  expect(request?.headers).not.toHaveProperty("x-unset");
  expect(request?.body).toMatchObject({ top_p: 0.5, reasoning_effort: "strong" });
  expect(session.models.levels).toEqual(["off", "minimal", "high"]);
  expect(JSON.stringify([events, session.state(), await workspace.sessionLines()])).not.toMatch(/s3cret|k3y|printf/);
});

test("a command that fails ends the prompt with an error that names the header", async () => {
  const server = await serveModels(workspace);
  await workspace.write("agent/models.json", {
    providers: {
      mine: {
        ...{ baseUrl: `${server.url}/v1`, api: "openai-completions", headers: { "x-secret": "!exit 3" }, models: [{ id: "gpt" }] },
      },
    },
  });
  const { session } = await openSession(workspace, { model: "mine/gpt", retry: { enabled: false } });
  await session.prompt("Hi");
  expect(session.messages.at(-1)).toMatchObject({
    stopReason: "error",
    errorMessage:
      "The command for the header x-secret of mine in models.json failed: it ended with exit code 3. Run it in a shell to see why.",
  });
  expect(server.requests).toEqual([]);
});

test("an OAuth login in auth.json is named where a key is missing", async () => {
  await workspace.write("agent/auth.json", { anthropic: { type: "oauth", access: "x", refresh: "y", expires: 1 } });
  const registry = await createRegistry({});
  const model = await registry.findListed("anthropic", (await loadProviderModels("anthropic"))[0]?.id ?? "");
  if (!model) throw new Error("the model is there");
  await expect(registry.requireCredentials(model)).rejects.toThrow(
    "No API key for anthropic (the OAuth login in auth.json has no effect here): set ANTHROPIC_API_KEY",
  );
});
