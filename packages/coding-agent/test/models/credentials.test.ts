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
  test("--api-key, then auth.json, then models.json, then the environment", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "from the environment");
    await workspace.write("agent/auth.json", { anthropic: { type: "api_key", key: "from auth.json" } });
    const find = (apiKey?: string) => new Credentials(workspace.agentDir, { apiKey }).find("anthropic", "from models.json");
    expect(await find("from the option")).toBe("from the option");
    expect(await find("")).toBe("from auth.json");
    expect(await find()).toBe("from auth.json");
    await workspace.write("agent/auth.json", {});
    expect(await find()).toBe("from models.json");
    expect(await new Credentials(workspace.agentDir).find("anthropic")).toBe("from the environment");
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    expect(await new Credentials(workspace.agentDir).find("anthropic")).toBeUndefined();
  });

  test.each([
    ["literal", "literal"],
    ["$LOCAL_KEY", "from the variable"],
    ["$" + "{LOCAL_KEY}", "from the variable"],
    ["a-$" + "{LOCAL_KEY}-$LOCAL_KEY.z", "a-from the variable-from the variable.z"],
    ["$$LOCAL_KEY", "$LOCAL_KEY"],
    ["$!echo key", "!echo key"],
    ["LOCAL_KEY", "from the variable"],
    ["NO_SUCH_KEY", "NO_SUCH_KEY"],
    ["LOCALKEY", "LOCALKEY"],
    ["$EMPTY_KEY", undefined],
    ["$NO_SUCH_KEY", undefined],
    ["a$NO_SUCH_KEY", undefined],
    ['!printf " key of %s\\n" "$LOCAL_KEY"', "key of from the variable"],
    ["", undefined],
  ])("SC-008 %j in a file of the user is %j", async (value, expected) => {
    vi.stubEnv("LOCAL_KEY", "from the variable");
    vi.stubEnv("LOCALKEY", "not this one");
    vi.stubEnv("EMPTY_KEY", "");
    const credentials = new Credentials(workspace.agentDir);
    expect(await credentials.has("local", value)).toBe(expected !== undefined);
    expect(await credentials.find("local", value)).toBe(expected);
    await workspace.write("agent/auth.json", { local: { type: "api_key", key: value } });
    expect(await credentials.has("local")).toBe(expected !== undefined);
    expect(await credentials.find("local")).toBe(expected);
  });

  test("a command of models.json runs for each request, one of auth.json once", async () => {
    const count = await workspace.write("count", "");
    const command = `!printf x >> ${count}; wc -c < ${count}`;
    const credentials = new Credentials(workspace.agentDir);
    expect(await credentials.has("local", command)).toBe(true);
    expect([await credentials.find("local", command), await credentials.find("local", command)]).toEqual(["1", "2"]);
    await workspace.write("agent/auth.json", { local: { type: "api_key", key: command } });
    expect([await credentials.find("local"), await credentials.find("local")]).toEqual(["3", "3"]);
  });

  test.each([
    ["!printf s3cret; exit 7", "it ended with exit code 7"],
    ["!printf s3cret >&2", "it printed nothing"],
    ["!yes s3cret", "it printed more than 65536 characters"],
  ])(
    "SC-004 the command %j is an error that names the provider and quotes neither the command nor its output",
    async (command, reason) => {
      const find = new Credentials(workspace.agentDir).find("local", command);
      await expect(find).rejects.toMatchObject({
        code: "no_credentials",
        message: `The command for the API key of local in models.json failed: ${reason}. Run it in a shell to see why.`,
      });
    },
  );

  test("other kinds of credentials, empty keys and inherited names in auth.json are no keys", async () => {
    await workspace.write(
      "agent/auth.json",
      '{"a": {"type": "oauth", "key": "x"}, "b": {"type": "api_key", "key": ""}, "c": "x", "d": null}',
    );
    const credentials = new Credentials(workspace.agentDir);
    for (const provider of ["a", "b", "c", "d", "constructor", "__proto__"]) {
      expect(await credentials.has(provider)).toBe(false);
      expect(await credentials.find(provider)).toBeUndefined();
    }
  });

  test("is read anew, so that a key that was replaced is used", async () => {
    const credentials = new Credentials(workspace.agentDir);
    expect(await credentials.find("anthropic")).toBeUndefined();
    await workspace.write("agent/auth.json", { anthropic: { type: "api_key", key: "new" } });
    expect(await credentials.find("anthropic")).toBe("new");
  });

  test("SC-004 a faulty auth.json is named and not quoted", async () => {
    await workspace.write("agent/auth.json", '{"anthropic": {"key": "5ecret"');
    await expect(new Credentials(workspace.agentDir).find("anthropic")).rejects.toThrow(
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
