import { keepOpen, openaiResponses, type ProviderServer, startProviderServer } from "@pikit/test-kit";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { stream } from "../../../src/index.ts";
import { user } from "../../helpers/messages.ts";
import { testModel } from "../../helpers/models.ts";

let server: ProviderServer;

beforeEach(async () => {
  server = await startProviderServer();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

const hello = { messages: [user("hello")] };

test("OR-014 the answer ends with its terminal event, also when the server keeps the connection open", async () => {
  const { steps = [], headers = {} } = openaiResponses.text("ok");
  server.respond({ headers, steps: [...steps, keepOpen] });
  expect((await stream(testModel("openai-responses", server.url), hello).result()).stopReason).toBe("stop");
  await (await server.nextRequest()).closed;
});

test("AN-019 the vendor's own variables do not reach a compatible endpoint", async () => {
  vi.stubEnv("OPENAI_API_KEY", "sk-secret");
  vi.stubEnv("OPENAI_ORG_ID", "org");
  vi.stubEnv("OPENAI_BASE_URL", "http://127.0.0.1:1");
  server.respond(openaiResponses.text("ok"), openaiResponses.text("ok"));
  await stream(testModel("openai-responses", server.url), hello).result();
  const { headers } = await server.nextRequest();
  expect(headers).not.toHaveProperty("authorization");
  expect(headers).not.toHaveProperty("openai-organization");
  await stream(testModel("openai-responses", server.url, { provider: "openai" }), hello).result();
  expect((await server.nextRequest()).headers).toMatchObject({ authorization: "Bearer sk-secret", "openai-organization": "org" });
});

test("OR-018 the tier that the model asks for is sent, and paid", async () => {
  server.respond(openaiResponses.text("ok", { usage: { input: 1_000_000, output: 0 } }));
  const model = testModel("openai-responses", server.url, { compat: { serviceTier: "flex" } });
  const { usage } = await stream(model, hello).result();
  expect(server.requests[0]?.body).toMatchObject({ service_tier: "flex" });
  expect(usage.cost.total).toBe(0.5);
});

test("AI-025 a call goes back to the model that made it under the ids that it came with", async () => {
  server.respond(openaiResponses.toolCall("ls", {}, { id: "call_a" }), openaiResponses.text("ok"));
  const model = testModel("openai-responses", server.url);
  const answer = await stream(model, hello).result();
  const [call] = answer.content;
  const toolCallId = call?.type === "toolCall" ? call.id : "";
  const result = { role: "toolResult" as const, toolCallId, toolName: "ls", content: [], isError: false, timestamp: 1 };
  await stream(model, { messages: [...hello.messages, answer, result] }).result();
  expect(server.requests[1]?.body).toMatchObject({
    input: [
      { role: "user" },
      { type: "function_call", id: "fc_1", call_id: "call_a", name: "ls", arguments: "{}" },
      { type: "function_call_output", call_id: "call_a", output: "(no output)" },
    ],
  });
});

test.each(["", "/", "/openai", "/openai/", "/openai/v1", "/openai/v1/"])(
  "OC-032 Azure is reached under its base URL with %j at the end, by deployment, with its own header",
  async (suffix) => {
    server.respond(openaiResponses.text("ok"));
    const model = testModel("openai-responses", server.url + suffix, {
      provider: "azure-openai",
      id: "gpt-5.1",
      compat: { azureDeployment: "my-deployment" },
    });
    const message = await stream(model, hello, { apiKey: "secret" }).result();
    const [request] = server.requests;
    expect(request?.path).toBe("/openai/v1/responses?api-version=v1");
    expect(request?.headers).toMatchObject({ "api-key": "secret" });
    expect(request?.headers).not.toHaveProperty("authorization");
    expect(request?.body).toMatchObject({ model: "my-deployment" });
    expect(message).toMatchObject({ model: "gpt-5.1", stopReason: "stop" });
  },
);

test("OC-032 Azure's version can be set, the deployment is the model's id by default, and a token replaces the key", async () => {
  server.respond(openaiResponses.text("ok"));
  const compat = { azureApiVersion: "preview" };
  const model = testModel("openai-responses", server.url, { provider: "azure-openai", id: "gpt-5.1", compat });
  await stream(model, hello, { apiKey: "secret", headers: { Authorization: "Bearer token" } }).result();
  const [request] = server.requests;
  expect(request?.path).toBe("/openai/v1/responses?api-version=preview");
  expect(request?.body).toMatchObject({ model: "gpt-5.1" });
  expect(request?.headers.authorization).toBe("Bearer token");
  expect(request?.headers).not.toHaveProperty("api-key");
});
