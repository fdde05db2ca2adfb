import { keyVariablesOf, providers } from "@pikit/ai";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Settings } from "../../src/config/settings.ts";
import { Credentials } from "../../src/models/credentials.ts";
import { ModelRegistry } from "../../src/models/model-registry.ts";
import { type ModelChoice, resolveModel } from "../../src/models/model-resolver.ts";
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
  return new ModelRegistry({ agentDir, credentials: new Credentials(agentDir), cwd });
}

async function resolve(choice: ModelChoice, settings: Settings = {}, stored?: string): Promise<string> {
  const { model, thinkingLevel } = await resolveModel(createRegistry(), choice, settings, stored);
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
    [{ model: "thinker2" }, /^Unknown model "thinker2"\. Nearest: far\/thinker-2, /],
    [{ model: "far/thinkr-2" }, /^Unknown model "far\/thinkr-2"\. Nearest: far\/thinker-2, /],
    [{ model: "thinker-2:max" }, /^Unknown model "thinker-2:max"\. Nearest: far\/thinker-2, /],
    [{ model: "thinker-2", provider: "near" }, /^Unknown model "near\/thinker-2"\. Nearest: /],
    [{ model: "" }, /^Unknown model ""\. Nearest: /],
    [{ model: "constructor/x" }, /^Unknown model "constructor\/x"\. Nearest: /],
    [{ provider: "acme" }, /^Unknown provider "acme"\. Known: far, near, anthropic, .*demo\.$/],
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
    expect(await resolve({}, settings, "gone/model")).toBe("far/shared");
    expect(await resolve({}, { defaultProvider: "near" })).toBe("near/first");
    expect(await resolve({}, {})).toBe(anthropic);
    vi.stubEnv("ANTHROPIC_API_KEY", " ");
    expect(await resolve({}, {})).toBe("demo/tour");
    vi.stubEnv("PI_FALLBACK_MODEL", "");
    expect(await resolve({}, {})).toBe("none");
  });

  test("a session's script that is gone falls back too", async () => {
    expect(await resolve({}, { defaultModel: "demo/tour" }, "script//no/such/file.jsonl")).toBe("demo/tour");
  });

  test("a settings' default that does not exist is an error, not another model", async () => {
    await expect(resolve({}, { defaultModel: "gone" })).rejects.toThrow('Unknown model "gone"');
  });
});
