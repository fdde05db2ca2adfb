import { keyVariablesOf, loadProviderModels, providers } from "@pikit/ai";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Credentials } from "../../src/models/credentials.ts";
import { ModelRegistry } from "../../src/models/model-registry.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

beforeEach(() => {
  for (const { provider } of providers) for (const name of keyVariablesOf(provider)) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the key of a provider", () => {
  test("--api-key, then auth.json, then the environment, then models.json", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "from the environment");
    await workspace.write("agent/auth.json", { anthropic: { type: "api_key", key: "from auth.json" } });
    const find = (apiKey?: string) => new Credentials(workspace.agentDir, { apiKey }).find("anthropic", "from models.json");
    expect(find("from the option")).toBe("from the option");
    expect(find("")).toBe("from auth.json");
    expect(find()).toBe("from auth.json");
    await workspace.write("agent/auth.json", {});
    expect(find()).toBe("from the environment");
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    expect(find()).toBe("from models.json");
    expect(new Credentials(workspace.agentDir).find("anthropic")).toBeUndefined();
  });

  test("SC-008 of models.json is literal, or a variable with a dollar sign", () => {
    vi.stubEnv("LOCAL_KEY", "from the variable");
    vi.stubEnv("EMPTY_KEY", "");
    const find = (configured: string) => new Credentials(workspace.agentDir).find("local", configured);
    expect(find("LOCAL_KEY")).toBe("LOCAL_KEY");
    expect(find("$LOCAL_KEY")).toBe("from the variable");
    expect(find("$EMPTY_KEY")).toBeUndefined();
    expect(find("$NO_SUCH_KEY")).toBeUndefined();
    expect(find("!echo key")).toBe("!echo key");
    expect(find("")).toBeUndefined();
  });

  test("other kinds of credentials, empty keys and inherited names in auth.json are no keys", async () => {
    await workspace.write(
      "agent/auth.json",
      '{"a": {"type": "oauth", "key": "x"}, "b": {"type": "api_key", "key": ""}, "c": "x", "d": null}',
    );
    const credentials = new Credentials(workspace.agentDir);
    for (const provider of ["a", "b", "c", "d", "constructor", "__proto__"]) expect(credentials.find(provider)).toBeUndefined();
  });

  test("is read anew, so that a key that was replaced is used", async () => {
    const credentials = new Credentials(workspace.agentDir);
    expect(credentials.find("anthropic")).toBeUndefined();
    await workspace.write("agent/auth.json", { anthropic: { type: "api_key", key: "new" } });
    expect(credentials.find("anthropic")).toBe("new");
  });

  test("SC-004 a faulty auth.json is named and not quoted", async () => {
    await workspace.write("agent/auth.json", '{"anthropic": {"key": "5ecret"');
    expect(() => new Credentials(workspace.agentDir).find("anthropic")).toThrow(
      /^[^\n]*auth\.json is not valid JSON: it breaks in line 1, column 31\. Correct or remove it\.$/,
    );
  });
});

describe("whether a model can be used", () => {
  const endpoint = { baseUrl: "http://127.0.0.1:1", api: "openai-completions", models: [{ id: "m" }] };

  async function createRegistry(providers: object): Promise<ModelRegistry> {
    await workspace.write("agent/models.json", { providers });
    const { agentDir, cwd } = workspace;
    return new ModelRegistry({ agentDir, credentials: new Credentials(agentDir), cwd });
  }

  test("a provider of models.json without a key needs none; one whose variable is not set lacks it, by name", async () => {
    const registry = await createRegistry({ open: endpoint, closed: { ...endpoint, apiKey: "$LOCAL_KEY" } });
    expect((await registry.available()).map(({ provider }) => provider)).toEqual(["open"]);
    const model = await registry.find("closed", "m");
    if (!model) throw new Error("the model is there");
    await expect(registry.requireCredentials(model)).rejects.toMatchObject({
      code: "no_credentials",
      message: expect.stringMatching(/^No API key for closed: set LOCAL_KEY, /),
    });
    vi.stubEnv("LOCAL_KEY", "x");
    await registry.requireCredentials(model);
    expect((await registry.available()).map(({ provider }) => provider)).toEqual(["open", "closed"]);
  });

  test("a provider of models.json that takes a built-in name may bring its key, and its models win", async () => {
    const registry = await createRegistry({
      openai: { ...endpoint, apiKey: "x", models: [{ id: "gpt-5.1", name: "Mine" }, { id: "new" }] },
    });
    const models = (await registry.available()).filter(({ provider }) => provider === "openai");
    const builtIn = (await loadProviderModels("openai")).map(({ id }) => id).filter((id) => id !== "gpt-5.1");
    expect(models.map(({ id }) => id)).toEqual(["gpt-5.1", "new", ...builtIn]);
    expect(models[0]).toMatchObject({ name: "Mine", baseUrl: endpoint.baseUrl });
  });
});
