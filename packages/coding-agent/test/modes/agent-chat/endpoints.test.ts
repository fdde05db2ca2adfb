import { openai } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { serveModels } from "../../helpers/endpoints.ts";
import { useWorkspace } from "../../helpers/workspace.ts";
import { connectChat } from "./chat-client.ts";

const workspace = useWorkspace();
const secret = "sk-adhoc-5ecret";

test('the documents\' "model": "gpt-4o", which the catalog does not list, is asked for', async () => {
  const server = await serveModels(workspace);
  const openaiHere = { baseUrl: `${server.url}/v1`, api: "openai-completions", apiKey: secret, models: [] };
  await workspace.write("agent/models.json", { providers: { openai: openaiHere } });
  server.respond(openai.text("Hello."), openai.text("Again."));
  const client = connectChat(workspace);
  await client.chat({ message: "Hi", config: { model: "gpt-4o" } });
  await client.chat({ message: "Hi", config: { model: "openai/gpt-4o" } });
  expect(client.all("done")).toMatchObject([{ response: "Hello." }, { response: "Again." }]);
  expect(server.requests.map(({ body }) => (body as { model: string }).model)).toEqual(["gpt-4o", "gpt-4o"]);
});

describe("an endpoint that the request names", () => {
  test("is asked for the model with the key, and both stay out of files and events", async () => {
    const server = await serveModels(workspace);
    server.respond(openai.text("Hello."));
    const client = connectChat(workspace);
    await client.chat({ message: "Hi", config: { api_base: `${server.url}/v1`, api_key: secret, model: "my/model:7b" } });
    expect(client.all("done")).toMatchObject([{ response: "Hello.", llm_usage: { prompt_tokens: 10, completion_tokens: 5 } }]);
    expect(server.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/v1/chat/completions", `Bearer ${secret}`],
    ]);
    expect(server.requests[0]?.body).toMatchObject({ model: "my/model:7b" });
    expect(JSON.stringify([client.events, await workspace.sessionLines()])).not.toContain("5ecret");
  });

  test("without a key gets none, also not that of the command line", async () => {
    const server = await serveModels(workspace);
    server.respond(openai.text("Hello."));
    const client = connectChat(workspace, { apiKey: secret });
    await client.chat({ message: "Hi", config: { api_base: server.url, model: "m" } });
    expect(client.all("done")).toMatchObject([{ response: "Hello." }]);
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  test("that refuses the key ends the chat with an error of the provider", async () => {
    const server = await serveModels(workspace);
    server.respond(openai.error(401, `Incorrect API key provided: ${secret}`));
    const client = connectChat(workspace);
    await client.chat({ message: "Hi", config: { api_base: server.url, api_key: secret, model: "m" } });
    expect(client.all("error")).toEqual([{ code: "provider", message: expect.stringMatching(/^401/), ends_chat: true }]);
    expect(client.all("done")).toEqual([]);
  });

  test("is not there any more in the next chat: another model goes on with the history", async () => {
    const server = await serveModels(workspace);
    server.respond(openai.text("First."), openai.text("Second."));
    const client = connectChat(workspace);
    await client.chat({ message: "One", config: { api_base: server.url, model: "m" } });
    await client.chat({ message: "Two", config: { model: "local-openai/gpt" } });
    expect(client.all("done").map(({ response }) => response)).toEqual(["First.", "Second."]);
    const sent = JSON.stringify(server.requests[1]?.body);
    for (const text of ["One", "First.", "Two"]) expect(sent).toContain(text);
  });
});

test("images, tools and the appended context reach the model", async () => {
  const server = await serveModels(workspace);
  server.respond(openai.text("Nice."), openai.text("Plain."));
  const client = connectChat(workspace, { appendSystemPrompt: "Of the command line." });
  const config = { api_base: server.url, model: "m" };
  await client.chat({
    message: "Look",
    images: [{ media_type: "image/png", data_base64: "iVBORw0KGgo=" }],
    context: { append: "Answer like a pirate." },
    config,
  });
  await client.chat({ message: "And now", config: { ...config, enable_task_planning: false } });
  const bodies = server.requests.map(({ body }) => body as { messages: unknown[]; tools: { function: { name: string } }[] });
  const texts = bodies.map(({ messages }) => JSON.stringify(messages));
  expect(texts[0]).toContain("data:image/png;base64,iVBORw0KGgo=");
  expect(texts[0]).toContain("Of the command line.\\n\\nAnswer like a pirate.");
  expect(texts[1]).not.toContain("pirate");
  const names = bodies.map(({ tools }) => tools.map((tool) => tool.function.name));
  const all = ["read", "bash", "edit", "write", "grep", "find", "ls", "preview", "delegate"];
  expect(names).toEqual([[...all, "todo"], all]);
});

test("images alone are a message", async () => {
  const server = await serveModels(workspace);
  server.respond(openai.text("Nice."));
  const client = connectChat(workspace);
  await client.chat({
    message: "",
    images: [{ media_type: "image/png", data_base64: "iVBORw0KGgo=" }],
    config: { api_base: server.url, model: "m" },
  });
  expect(client.all("done")).toMatchObject([{ response: "Nice." }]);
});

test("a model of the request is one of the registry, and its key comes from the request", async () => {
  const server = await serveModels(workspace);
  server.respond(openai.text("Hello."));
  const client = connectChat(workspace, { provider: "demo", model: "tour" });
  await client.chat({ message: "Hi", config: { model: "local-openai/gpt", api_key: secret } });
  expect(client.all("done")).toMatchObject([{ response: "Hello." }]);
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${secret}`);
});

test("a failure that passes is tried again: what came of it is told, and the whole text is that of the good answer", async () => {
  await workspace.write("agent/settings.json", { retry: { baseDelayMs: 1 } });
  const server = await serveModels(workspace);
  server.respond(openai.error(503, "busy"), openai.text("Here."));
  const client = connectChat(workspace);
  await client.chat({ message: "Hi", config: { model: "local-openai/gpt" } });
  expect(client.events.map(({ event }) => event).filter((event) => event !== "text_chunk")).toEqual(["text", "llm_usage", "done"]);
  expect(client.all("done")).toMatchObject([{ response: "Here.", task_completed: true }]);
});
