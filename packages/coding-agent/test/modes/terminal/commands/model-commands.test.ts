import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { offerFirstSteps } from "../../../../src/modes/terminal/commands/first-steps.ts";
import { FakeStage, keys } from "../../../helpers/fake-stage.ts";
import { openSession } from "../../../helpers/sessions.ts";
import { runTyped, useAgentFolder } from "../../../helpers/terminal-commands.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();
useAgentFolder(workspace);

async function open(model?: string): Promise<FakeStage> {
  const { session } = await openSession(workspace, { session: "memory", ...(model === undefined ? {} : { model }) });
  return new FakeStage(session);
}

/** An endpoint of models.json without a key. */
async function writeModels(): Promise<void> {
  const models = [
    { id: "small" },
    {
      id: "large",
      name: "The large one",
      reasoning: true,
      contextWindow: 200_000,
      cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
    },
  ];
  await workspace.write("agent/models.json", {
    providers: { house: { baseUrl: "http://127.0.0.1:9/v1", api: "openai-completions", models } },
  });
}

/** A server that answers like Ollama. */
async function serveOllama(...ids: string[]): Promise<void> {
  const server = createServer((request, response) => {
    const models = request.url === "/api/tags" ? ids.map((name) => ({ name })) : [];
    response.end(JSON.stringify(request.url === "/api/show" ? { capabilities: ["completion"] } : { models }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  vi.stubEnv("OLLAMA_HOST", `127.0.0.1:${(server.address() as AddressInfo).port}`);
}

test("/model shows the usable models with what they are, marks the current one, and sets the chosen one", async () => {
  await writeModels();
  const stage = await open("house/small");
  const ended = runTyped(stage, "/model");
  await stage.shows("house/large");
  expect(stage.text).toContain("❯ house/small ✓");
  expect(stage.text).toContain("house/large  The large one, 200k, $1/$2 per million");
  stage.type("large");
  stage.press(keys.enter);
  await ended;
  expect(stage.session.models.current?.id).toBe("large");
  expect(stage.notes).toEqual(["The model is house/large, thinking medium."]);
});

test("/model adds the models of servers on this machine when they have answered", async () => {
  await writeModels();
  await serveOllama("qwen:8b");
  const stage = await open("house/small");
  const ended = runTyped(stage, "/model");
  await stage.shows("local/qwen:8b");
  stage.type("qwen");
  stage.press(keys.enter);
  await ended;
  expect(stage.session.models.current).toMatchObject({ provider: "local", id: "qwen:8b" });
});

test("/model with a name sets it, with a level too; an unknown name gets the nearest names; a missing key is said", async () => {
  await writeModels();
  const stage = await open("house/small");
  await runTyped(stage, "/model house/large:high");
  expect(stage.session.models).toMatchObject({ current: { id: "large" }, level: "high" });
  await runTyped(stage, "/model house/larger");
  expect(stage.session.models.current?.id).toBe("larger");
  const unlisted = runTyped(stage, "/model");
  await stage.shows("❯ house/larger ✓");
  stage.press(keys.esc);
  await unlisted;
  await runTyped(stage, "/model nowhere/large");
  expect(stage.notes.at(-1)).toMatch(/^error: Model not found: nowhere\/large\. Nearest: house\/large/);
  await runTyped(stage, "/model anthropic/claude-sonnet-5-5");
  expect(stage.notes.at(-1)).toBe("warning: There is no key for anthropic. Give it with /login anthropic.");
});

test("/thinking picks a level of the model, or sets the named one", async () => {
  await writeModels();
  const stage = await open("house/large");
  const ended = runTyped(stage, "/thinking");
  await stage.shows("❯ medium ✓");
  stage.press(keys.down, keys.enter);
  await ended;
  expect(stage.session.models.level).toBe("high");
  await runTyped(stage, "/thinking low");
  expect(stage.notes).toEqual(["Thinking is high.", "Thinking is low."]);
  await runTyped(stage, "/thinking hard");
  expect(stage.notes.at(-1)).toContain('error: Unknown thinking level "hard"');
  await runTyped(stage, "/model house/small");
  await runTyped(stage, "/thinking");
  expect(stage.notes.at(-1)).toBe("house/small has no thinking levels.");
});

test("/login stores a key that it does not show, with mode 0600, and uses the provider's default model if there is none", async () => {
  const stage = await open();
  const ended = runTyped(stage, "/login");
  await stage.shows("The provider of the key");
  stage.type("anthropic");
  stage.press(keys.enter);
  await stage.shows("API key of anthropic");
  stage.type("sk-5ecret");
  expect(stage.text).not.toContain("5ecret");
  stage.press(keys.enter);
  await ended;
  const file = join(workspace.agentDir, "auth.json");
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ anthropic: { type: "api_key", key: "sk-5ecret" } });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(stage.notes[0]).toBe(`The key of anthropic is stored in ${file}.`);
  expect(stage.session.models.current?.provider).toBe("anthropic");
  expect(stage.notes.join()).not.toContain("5ecret");
});

test("/login refuses an unknown provider and what is not a key; Esc stores nothing", async () => {
  const stage = await open();
  await runTyped(stage, "/login antropic");
  expect(stage.notes[0]).toMatch(/^error: There is no provider "antropic"\. Did you mean "anthropic"\?/);
  for (const typed of [
    ["two words", keys.enter],
    ["key", keys.esc],
  ]) {
    const ended = runTyped(stage, "/login openai");
    await stage.shows("API key of openai");
    stage.press(...(typed[0] ?? ""), typed[1] ?? "");
    await ended;
  }
  expect(stage.notes.slice(1)).toEqual([
    "error: That is not an API key: expected one word, but got several words. Nothing was stored.",
  ]);
  await expect(stat(join(workspace.agentDir, "auth.json"))).rejects.toThrow("ENOENT");
});

test("the first steps: there is no key, so the demo is tried", async () => {
  const stage = await open();
  expect(stage.session.models.current).toBeUndefined();
  const ended = offerFirstSteps(stage);
  await stage.shows("There is no key for a model yet.");
  for (const columns of [40, 80]) expect(stage.lines(columns).join("\n")).toContain("Give an API key");
  stage.press(keys.down, keys.down, keys.enter);
  await ended;
  expect(stage.session.models.current).toMatchObject({ provider: "demo", id: "tour" });
  expect(stage.session.models.current).toBeDefined();
});

test("the first steps: a local model becomes the default; without a server the list comes again", async () => {
  const stage = await open();
  const ended = offerFirstSteps(stage);
  await stage.shows("Use a model on this machine");
  stage.press(keys.down, keys.enter);
  await stage.hasNoted("No model server answers");
  await stage.shows("Give an API key");
  await serveOllama("qwen:8b");
  stage.press(keys.down, keys.enter);
  await stage.shows("Models on this machine");
  stage.press(keys.enter);
  await ended;
  const settings = JSON.parse(await readFile(join(workspace.agentDir, "settings.json"), "utf8")) as object;
  expect(settings).toEqual({ defaultModel: "local/qwen:8b" });
  const next = await open();
  expect(next.session.models.current).toMatchObject({ provider: "local", id: "qwen:8b" });
});

test("the first steps: a key, after one that is refused; Esc leaves with advice", async () => {
  const stage = await open();
  const left = offerFirstSteps(stage);
  await stage.shows("Give an API key");
  stage.press(keys.esc);
  await left;
  expect(stage.notes).toEqual([expect.stringContaining("/login stores a key")]);
  const ended = offerFirstSteps(stage);
  for (const key of ["two words", "sk-1"]) {
    await stage.shows("Give an API key");
    stage.press(keys.enter);
    await stage.shows("The provider of the key");
    stage.type("openai");
    stage.press(keys.enter);
    await stage.shows("API key of openai");
    stage.type(key);
    stage.press(keys.enter);
  }
  await ended;
  expect(stage.session.models.current?.provider).toBe("openai");
});

test("with an endpoint in models.json there are no first steps", async () => {
  await writeModels();
  const stage = await open();
  expect(stage.session.models.current).toMatchObject({ provider: "house", id: "small" });
  await offerFirstSteps(stage);
  expect(stage.panels).toEqual([]);
});
