import { keyVariablesOf, providers } from "@pikit/ai";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Settings } from "../../src/config/settings.ts";
import { Credentials } from "../../src/models/credentials.ts";
import { ModelRegistry } from "../../src/models/model-registry.ts";
import { type ModelChoice, resolveModel } from "../../src/models/model-resolver.ts";
import { resolveScope } from "../../src/models/model-scope.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

beforeEach(() => {
  for (const { provider } of providers) for (const name of keyVariablesOf(provider)) vi.stubEnv(name, undefined);
  vi.stubEnv("PI_FALLBACK_MODEL", undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function createRegistry(): ModelRegistry {
  const { agentDir, cwd } = workspace;
  return new ModelRegistry({ agentDir, credentials: new Credentials(agentDir), cwd, report: (line) => void reported.push(line) });
}

let reported: string[] = [];
beforeEach(() => {
  reported = [];
});

async function resolve(choice: ModelChoice, settings: Settings = {}, stored?: string): Promise<string> {
  const { model, thinkingLevel } = await resolveModel(createRegistry(), choice, settings, { stored });
  return model ? `${model.provider}/${model.id}${thinkingLevel ? `:${thinkingLevel}` : ""}` : "none";
}

/** Two providers that serve a model of the same id, and ids with colons and slashes. */
async function writeModels(): Promise<void> {
  const endpoint = { baseUrl: "http://127.0.0.1:1", api: "openai-completions" };
  const far = { ...endpoint, apiKey: "$FAR_KEY", models: [{ id: "shared" }, { id: "thinker-2" }] };
  const near = {
    ...endpoint,
    models: [{ id: "first" }, { id: "shared" }, { id: "llama:8b" }, { id: "llama:high" }, { id: "org/model" }],
  };
  await workspace.write("agent/models.json", { providers: { far, near } });
}

describe("what was asked for", () => {
  test.each([
    [{ model: "thinker-2" }, "far/thinker-2"],
    [{ model: "far/thinker-2" }, "far/thinker-2"],
    [{ model: "thinker-2:high" }, "far/thinker-2:high"],
    [{ model: "thinker-2:max" }, "far/thinker-2:xhigh"],
    [{ model: "far/thinker-2:off" }, "far/thinker-2:off"],
    [{ model: "thinker-2", provider: "far" }, "far/thinker-2"],
    [{ model: "far/thinker-2:low", provider: "far" }, "far/thinker-2:low"],
    [{ provider: "near" }, "near/first"],
    [{ model: "demo/tour" }, "demo/tour"],
    [{ model: "near/llama:8b" }, "near/llama:8b"],
    [{ model: "llama:8b:low" }, "near/llama:8b:low"],
    [{ model: "llama:high" }, "near/llama:high"],
    [{ model: "org/model" }, "near/org/model"],
    [{ model: "near/org/model" }, "near/org/model"],
  ])("%j is %s", async (choice, expected) => {
    await writeModels();
    expect(await resolve(choice)).toBe(expected);
  });

  test.each([
    ["sonnet", "anthropic/claude-sonnet-"],
    ["sonnet:high", "anthropic/claude-sonnet-"],
    ["anthropic/opus", "anthropic/claude-opus-"],
    ["Flash", "google/gemini-"],
    ["LLAMA", "near/llama:high"],
    ["near/org", "near/org/model"],
  ])("a part of an id or name, %s, is the newest model that has it and a key", async (model, start) => {
    await writeModels();
    vi.stubEnv("ANTHROPIC_API_KEY", "x");
    vi.stubEnv("GEMINI_API_KEY", "x");
    vi.stubEnv("OPENROUTER_API_KEY", "x");
    const found = await resolve({ model });
    expect(found.startsWith(start)).toBe(true);
    expect(found.endsWith(":high")).toBe(model.endsWith(":high") || start.endsWith(":high"));
    if (start.endsWith("sonnet-")) expect(found).toMatch(/sonnet-5-5(:high)?$/);
    expect(reported).toEqual([]);
  });

  test("an id with a version that the list lacks is used as it is, even if it is a part of another one", async () => {
    vi.stubEnv("OPENAI_API_KEY", "x");
    expect(await resolve({ model: "gpt-5.1-code" })).toBe("openai/gpt-5.1-code");
  });

  test("a provider alone is its default", async () => {
    for (const { provider, defaultModelId } of providers) expect(await resolve({ provider })).toBe(`${provider}/${defaultModelId}`);
  });

  test("an id that several providers serve is taken where there is a key", async () => {
    await writeModels();
    expect(await resolve({ model: "shared" })).toBe("near/shared");
    vi.stubEnv("FAR_KEY", "x");
    expect(await resolve({ model: "shared" })).toBe("far/shared");
  });

  test.each([
    [{ model: "thinker2" }, /^Model not found: thinker2\. Nearest: far\/thinker-2, /],
    [{ model: "far/thinkr-2" }, /^Model not found: far\/thinkr-2\. Nearest: far\/thinker-2, /],
    [{ model: "thinker-2:hgih" }, /^Model not found: thinker-2:hgih\. Nearest: far\/thinker-2, /],
    [{ model: "thinker-3", provider: "far" }, /^Model not found: far\/thinker-3\. Nearest: /],
    [
      { model: "gpt-9:max" },
      /^Model not found: gpt-9:max\. Nearest: .* An unlisted id needs a key of openai: set OPENAI_API_KEY\.$/,
    ],
    [
      { model: "google/gemini-9" },
      /^Model not found: google\/gemini-9\. .* key of google: set GEMINI_API_KEY or GOOGLE_API_KEY\.$/,
    ],
    [{ model: "no family", provider: "near" }, /^Model not found: near\/no family\. /],
    [{ model: "demo/nope" }, /^Model not found: demo\/nope\. Nearest: demo\/tour, /],
    [{ model: "" }, /^Model not found: \. Nearest: /],
    [{ model: "constructor/x" }, /^Model not found: constructor\/x\. Nearest: /],
    [{ provider: "acme" }, /^Unknown provider "acme"\. Known: far, near, anthropic, .*local, demo\.$/],
    [{ provider: "antropic" }, /^Unknown provider "antropic"\. Did you mean "anthropic"\? Known: /],
  ])("%j is refused with the nearest names, exit code 1", async (choice, message) => {
    await writeModels();
    await expect(resolve(choice)).rejects.toMatchObject({
      name: "UsageError",
      exitCode: 1,
      message: expect.stringMatching(message),
    });
  });
});

describe("without a choice", () => {
  test("the session's model, the settings', the first provider with a key, the fallback, none", async () => {
    await writeModels();
    const settings = { defaultProvider: "far", defaultModel: "shared" };
    vi.stubEnv("PI_FALLBACK_MODEL", "demo/tour");
    vi.stubEnv("ANTHROPIC_API_KEY", "sk-x");
    const anthropic = `anthropic/${providers.find(({ provider }) => provider === "anthropic")?.defaultModelId}`;
    expect(await resolve({}, settings, "demo/tour")).toBe("demo/tour");
    vi.stubEnv("FAR_KEY", "x");
    expect(await resolve({}, settings, "gone/model")).toBe("far/shared");
    expect(await resolve({}, { defaultProvider: "near" })).toBe("near/first");
    expect(await resolve({}, {})).toBe(anthropic);
    vi.stubEnv("FAR_KEY", undefined);
    vi.stubEnv("ANTHROPIC_API_KEY", " ");
    expect(await resolve({}, {})).toBe("near/first");
    await workspace.write("agent/models.json", {});
    expect(await resolve({}, {})).toBe("demo/tour");
    vi.stubEnv("PI_FALLBACK_MODEL", "");
    expect(await resolve({}, {})).toBe("none");
  });

  test("an endpoint of models.json is the default when it alone has a key, or needs none", async () => {
    const endpoint = { baseUrl: "http://127.0.0.1:1", api: "openai-completions", models: [{ id: "a" }, { id: "b" }] };
    const empty = { ...endpoint, models: [] };
    await workspace.write("agent/models.json", {
      providers: { empty, shut: { ...endpoint, apiKey: "$FAR_KEY" }, given: { ...endpoint, apiKey: "sk" } },
    });
    expect(await resolve({})).toBe("given/a");
    vi.stubEnv("FAR_KEY", "sk");
    expect(await resolve({})).toBe("shut/a");
    vi.stubEnv("GEMINI_API_KEY", "sk");
    expect(await resolve({})).toMatch(/^google\//);
  });

  test("a session's script that is gone falls back too", async () => {
    expect(await resolve({}, { defaultModel: "demo/tour" }, "script//no/such/file.jsonl")).toBe("demo/tour");
  });

  test("a settings' default that does not exist or has no key is reported, and the next best is used", async () => {
    await writeModels();
    expect(await resolve({}, { defaultModel: "gone" })).toBe("near/first");
    expect(await resolve({}, { defaultProvider: "github-copilot", defaultModel: "gpt-5" })).toBe("near/first");
    expect(await resolve({}, { defaultProvider: "acme" })).toBe("near/first");
    expect(await resolve({}, { defaultProvider: "far", defaultModel: "shared" })).toBe("near/first");
    expect(reported).toEqual([
      expect.stringMatching(
        /^The default model of the settings cannot be used\. Model not found: gone\. .* near\/first is used\.$/,
      ),
      expect.stringMatching(
        /^The default model of the settings cannot be used\. Model not found: github-copilot\/gpt-5\. .* near\/first is used\.$/,
      ),
      expect.stringMatching(
        /^The default model of the settings cannot be used\. Unknown provider "acme"\. .* near\/first is used\.$/,
      ),
      "The default model of the settings, far/shared, cannot be used: its provider has no key. near/first is used.",
    ]);
  });

  test("a settings' default without a key stays where there is no other, so that its request names the key", async () => {
    await workspace.write("agent/models.json", {
      providers: { far: { baseUrl: "http://127.0.0.1:1", api: "openai-completions", apiKey: "$FAR_KEY", models: [{ id: "m" }] } },
    });
    expect(await resolve({}, { defaultModel: "far/m" })).toBe("far/m");
    expect(reported).toEqual([]);
  });

  test("a list of models decides: the settings' default if it is in it, else its first", async () => {
    await writeModels();
    const registry = createRegistry();
    const scope = await resolveScope(registry, ["near/llama*", "gone*", "near/first"]);
    const inScope = async (settings: Settings) => (await resolveModel(registry, {}, settings, { scope })).model?.id;
    expect(await inScope({})).toBe("llama:8b");
    expect(await inScope({ defaultModel: "near/first" })).toBe("first");
    expect(await inScope({ defaultModel: "near/shared" })).toBe("llama:8b");
    expect(reported).toEqual(['No usable model matches "gone*". See --list-models.']);
    await expect(resolveScope(registry, ["gone*", "gone"])).rejects.toThrow('No usable model matches "gone*".');
  });
});
