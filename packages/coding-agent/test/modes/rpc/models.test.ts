import { anthropic } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { runCli } from "../../helpers/cli.ts";
import { serveModels } from "../../helpers/endpoints.ts";
import { startRpc } from "../../helpers/rpc-process.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

const wireKeys = ["id", "name", "api", "provider", "baseUrl", "reasoning", "input", "contextWindow", "maxTokens", "cost"].sort();

/** Three models without keys: two that think, one that does not. */
async function writeModels(): Promise<void> {
  const models = [{ id: "deep", reasoning: true }, { id: "deeper", reasoning: true }, { id: "plain" }];
  await workspace.write("agent/models.json", {
    providers: {
      local: { baseUrl: "http://127.0.0.1:1", api: "openai-completions", headers: { "x-key": "5ecret" }, models },
    },
  });
}

describe("cycle_model", () => {
  test("walks the models of --models in their order, with the levels that are named, and begins again", async () => {
    await writeModels();
    const rpc = startRpc(workspace, ["--models", "local/deep:high,local/plain,demo/tour", "--model", "local/deep"]);
    const seen: unknown[] = [];
    for (let n = 0; n < 4; n += 1) {
      const { model, thinkingLevel, isScoped } = await rpc.ask({ type: "cycle_model" });
      expect(Object.keys(model as object).sort()).toEqual(wireKeys);
      expect((await rpc.state()).model).toEqual(model);
      seen.push([(model as { id: string }).id, thinkingLevel, isScoped]);
    }
    expect(seen).toEqual([
      ["plain", "off", true],
      ["tour", "off", true],
      ["deep", "high", true],
      ["plain", "off", true],
    ]);
    expect(rpc.lines.join()).not.toContain("5ecret");
  });

  test("without --models walks all that can be used, but not into the demo; isScoped is false", async () => {
    await writeModels();
    const rpc = startRpc(workspace, ["--model", "demo/tour"]);
    const { models } = await rpc.ask({ type: "get_available_models" });
    const names = (models as { id: string }[]).map(({ id }) => id);
    expect(names).toEqual(["deep", "deeper", "plain"]);
    const seen: unknown[] = [];
    for (let n = 0; n < 4; n += 1) {
      const { model, isScoped } = await rpc.ask({ type: "cycle_model" });
      expect(isScoped).toBe(false);
      seen.push((model as { id: string }).id);
    }
    expect(seen).toEqual(["deep", "deeper", "plain", "deep"]);
  });

  test("never goes to the demo: not from one real model, and not from a script", async () => {
    const providers = { mine: { baseUrl: "http://127.0.0.1:1", api: "openai-completions", models: [{ id: "only" }] } };
    await workspace.write("agent/models.json", { providers });
    const rpc = startRpc(workspace, []);
    expect(await rpc.state()).toMatchObject({ model: { id: "only" } });
    expect(await rpc.request({ type: "cycle_model" })).toMatchObject({ success: true, data: null });
    await rpc.end();
    await workspace.write("agent/models.json", {});
    const scripted = startRpc(workspace, ["--model", await workspace.script({ text: "A" })]);
    expect(await scripted.request({ type: "cycle_model" })).toMatchObject({ success: true, data: null });
    expect(await scripted.ask({ type: "get_available_models" })).toMatchObject({ models: [{ provider: "demo", id: "tour" }] });
  });

  test("has data null when there is nothing to cycle", async () => {
    const rpc = startRpc(workspace, ["--model", "demo/tour"]);
    for (const type of ["cycle_model", "cycle_thinking_level"]) {
      expect(await rpc.request({ type })).toEqual({
        id: expect.any(String),
        type: "response",
        command: type,
        success: true,
        data: null,
      });
    }
    expect(await rpc.ask({ type: "get_available_thinking_levels" })).toEqual({ levels: ["off"] });
  });

  test("a model that --models names and nobody knows ends with exit code 1", async () => {
    const { exitCode, stdout, stderr } = await runCli(workspace, ["--mode", "rpc", "--models", "demo/tuor"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(/^[^\n]*demo\/tour[^\n]*\n$/);
  });
});

describe("set_model with an id that the catalog does not list", () => {
  test("is asked for under that id, also after reopening; a name that nobody knows is told of on stderr, once", async () => {
    const server = await serveModels(workspace);
    const endpoint = { baseUrl: server.url, api: "anthropic-messages", apiKey: "sk-test", models: [] };
    await workspace.write("agent/models.json", { providers: { anthropic: endpoint } });
    server.respond(anthropic.text("One."), anthropic.text("Two."));
    const rpc = startRpc(workspace, ["--provider", "anthropic"]);
    const modelId = "claude-sonnet-4-20250514";
    expect(await rpc.ask({ type: "set_model", provider: "anthropic", modelId })).toMatchObject({
      ...{ id: modelId, provider: "anthropic", contextWindow: 200_000, maxTokens: 64_000, reasoning: true },
    });
    await rpc.promptAndWait("Hi");
    await rpc.end();
    const again = startRpc(workspace, ["--continue"]);
    expect(await again.state()).toMatchObject({ model: { id: modelId } });
    await again.promptAndWait("Go on");
    expect(server.requests.map(({ body }) => (body as { model: string }).model)).toEqual([modelId, modelId]);
    await again.ask({ type: "set_model", provider: "anthropic", modelId: "claude-sonet-4-5" });
    await again.ask({ type: "set_model", provider: "anthropic", modelId: "claude-sonet-4-5" });
    await again.end();
    // A release of a model that is known needs no words; a misspelt one does, once.
    expect(rpc.stderr).toBe("");
    expect(again.stderr).toMatch(
      /^anthropic\/claude-sonet-4-5 is not in the catalog, but [^\n]*Nearest: anthropic\/claude-sonnet-4-5, [^\n]*\n$/,
    );
  });

  test("is refused without a key, with the nearest names and what would help", async () => {
    const rpc = startRpc(workspace, []);
    expect(await rpc.request({ type: "set_model", provider: "openai", modelId: "gpt-4o" })).toMatchObject({
      success: false,
      error: expect.stringMatching(
        /^Model not found: openai\/gpt-4o\. Nearest: openai\/gpt-\S+, .* needs a key of openai: set OPENAI_API_KEY\.$/,
      ),
    });
  });
});

describe("thinking levels", () => {
  test("are medium at first, set, walked and told of; what the model cannot do is clamped, and comes back with one that can", async () => {
    await writeModels();
    const rpc = startRpc(workspace, ["--model", "local/deep"]);
    expect(await rpc.state()).toMatchObject({ thinkingLevel: "medium" });
    expect(await rpc.ask({ type: "get_available_thinking_levels" })).toEqual({ levels: ["off", "low", "medium", "high"] });
    expect(await rpc.request({ type: "set_thinking_level", level: "xhigh" })).toEqual({
      id: expect.any(String),
      type: "response",
      command: "set_thinking_level",
      success: true,
    });
    expect(await rpc.ask({ type: "cycle_thinking_level" })).toEqual({ level: "off" });
    expect(await rpc.ask({ type: "cycle_thinking_level" })).toEqual({ level: "low" });
    await rpc.ask({ type: "set_thinking_level", level: "max" });
    await rpc.ask({ type: "set_model", provider: "local", modelId: "plain" });
    expect(await rpc.state()).toMatchObject({ thinkingLevel: "off" });
    await rpc.ask({ type: "set_thinking_level", level: "low" });
    expect(await rpc.state()).toMatchObject({ thinkingLevel: "off" });
    await rpc.ask({ type: "set_model", provider: "local", modelId: "deeper" });
    expect(await rpc.state()).toMatchObject({ thinkingLevel: "low" });
    const told = rpc.records.filter(({ type }) => type === "thinking_level_changed").map(({ level }) => level);
    expect(told).toEqual(["high", "off", "low", "high", "off", "low"]);
  });

  test("RP-018 one that nobody knows is refused and changes nothing; a start with one, too", async () => {
    await writeModels();
    const rpc = startRpc(workspace, ["--model", "local/deep", "--thinking", "low"]);
    for (const level of ["hgih", 3, null, undefined]) {
      expect(await rpc.request({ type: "set_thinking_level", level })).toMatchObject({
        command: "set_thinking_level",
        success: false,
        error: expect.stringMatching(/"level" must be "off" or .*"xhigh" or "max"/),
      });
    }
    expect(await rpc.state()).toMatchObject({ thinkingLevel: "low" });
  });

  test("SE-020 setting the same model and level again, and plain resuming, store nothing", async () => {
    const script = await workspace.script({ text: "A" });
    const rpc = startRpc(workspace, ["--model", script]);
    await rpc.promptAndWait("Hi");
    const before = await workspace.sessionLines();
    await rpc.ask({ type: "set_model", provider: "script", modelId: script.slice("script/".length) });
    await rpc.ask({ type: "set_thinking_level", level: "off" });
    await rpc.ask({ type: "get_state" });
    await rpc.end();
    const again = startRpc(workspace, ["--continue"]);
    await again.state();
    await again.end();
    expect(await workspace.sessionLines()).toEqual(before);
    expect(rpc.records.filter(({ type }) => type === "thinking_level_changed")).toEqual([]);
  });
});

test("set_model during a run counts from the next model call on", async () => {
  await writeModels();
  const gated = { toolCalls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.02; done" } }] };
  const rpc = startRpc(workspace, ["--model", await workspace.script(gated)]);
  await rpc.request({ type: "prompt", message: "Go" });
  await rpc.waitFor({ type: "tool_execution_start" });
  await rpc.ask({ type: "set_model", provider: "demo", modelId: "tour" });
  await workspace.write("work/go", "");
  const { messages } = await rpc.waitFor({ type: "agent_end" });
  const models = (messages as { role: string; provider?: string }[]).flatMap(({ role, provider }) =>
    role === "assistant" ? [provider] : [],
  );
  expect(models[0]).toBe("script");
  expect(models.at(-1)).toBe("demo");
});
