import { type GenerateContentConfig, GoogleGenAI } from "@google/genai";
import { cut, google, type ProviderServer, startProviderServer } from "@pikit/test-kit";
import { Type } from "@sinclair/typebox";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { GoogleBody } from "../../../src/apis/google-generative-ai/request.ts";
import { stream } from "../../../src/index.ts";
import { conversation, user } from "../../helpers/messages.ts";
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
const api = "google-generative-ai";

test("what is posted is what the vendor's SDK would post", async () => {
  server.respond(google.text("ok"), google.text("ok"));
  const tool = { name: "ls", description: "Lists.", parameters: Type.Object({ path: Type.String() }) };
  const model = testModel(api, server.url, { id: "gemini-3-flash", reasoning: true });
  const context = { systemPrompt: "Be brief.", messages: conversation(model), tools: [tool] };
  let body: GoogleBody | undefined;
  const onPayload = (payload: unknown) => {
    body = payload as GoogleBody;
  };
  const options = { apiKey: "secret", temperature: 0, reasoning: "low", toolChoice: "required", onPayload } as const;
  const answer = await stream(model, context, options).result();

  const { contents, generationConfig, ...rest } = body ?? { contents: [] };
  const config = { ...rest, ...generationConfig } as GenerateContentConfig;
  const sdk = new GoogleGenAI({ apiKey: "secret", httpOptions: { baseUrl: server.url, apiVersion: "v1beta" } });
  let text = "";
  for await (const chunk of await sdk.models.generateContentStream({ model: model.id, contents, config })) text += chunk.text ?? "";

  const [ours, theirs] = server.requests;
  expect(ours?.path).toBe(theirs?.path);
  expect(ours?.body).toEqual(theirs?.body);
  expect(theirs?.headers["x-goog-api-key"]).toBe(ours?.headers["x-goog-api-key"]);
  expect(answer.content).toEqual([{ type: "text", text }]);
});

test("GG-014 the key travels in a header and not in the address", async () => {
  server.respond(google.text("ok"));
  await stream(testModel(api, server.url), hello, { apiKey: "secret" }).result();
  const { path, headers } = await server.nextRequest();
  expect(path).toBe("/v1beta/models/test-model:streamGenerateContent?alt=sse");
  expect(headers).toMatchObject({ "x-goog-api-key": "secret", "content-type": "application/json" });
});

test.each([
  ["/v1", "/v1/models/test-model"],
  ["/v1alpha/", "/v1alpha/models/test-model"],
  ["/v1/projects/p/locations/l/publishers/google", "/v1/projects/p/locations/l/publishers/google/models/test-model"],
  ["/gateway", "/gateway/v1beta/models/test-model"],
])("GG-014 AI-030 a base URL ending in %s leads to %s", async (suffix, path) => {
  server.respond(google.text("ok"));
  await stream(testModel(api, server.url + suffix), hello).result();
  expect((await server.nextRequest()).path).toBe(`${path}:streamGenerateContent?alt=sse`);
});

test("a model id with a path is taken as it is", async () => {
  server.respond(google.text("ok"));
  await stream(testModel(api, server.url, { id: "tunedModels/mine" }), hello).result();
  expect((await server.nextRequest()).path).toBe("/v1beta/tunedModels/mine:streamGenerateContent?alt=sse");
});

test("AI-029 a token of the caller replaces the key", async () => {
  server.respond(google.text("ok"));
  await stream(testModel(api, server.url), hello, { apiKey: "secret", headers: { Authorization: "Bearer token" } }).result();
  const { headers } = await server.nextRequest();
  expect(headers.authorization).toBe("Bearer token");
  expect(headers).not.toHaveProperty("x-goog-api-key");
});

test("GG-015 an error body may be a list of one, and its retryDelay is a wait", async () => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "39s" }];
  const error = { code: 429, message: "Try later", status: "RESOURCE_EXHAUSTED", details };
  server.respond({ status: 429, body: [{ error }] });
  const answer = stream(testModel(api, server.url), hello);
  expect((await answer.result()).errorMessage).toBe("429 from test: Try later");
  expect(answer.failure).toMatchObject({ code: "rate_limit", retryable: true, retryAfterMs: 39_000 });
});

test("ER-018 the Retry-After header wins over the body's retryDelay", async () => {
  const error = { code: 429, message: "Try later", details: [{ retryDelay: "39.5s" }] };
  server.respond({ status: 429, headers: { "retry-after": "2" }, body: { error } }, { status: 429, body: { error } });
  const waits: (number | undefined)[] = [];
  for (let i = 0; i < 2; i += 1) {
    const answer = stream(testModel(api, server.url), hello);
    await answer.result();
    waits.push(answer.failure?.retryAfterMs);
  }
  expect(waits).toEqual([2000, 39_500]);
});

test("ER-024 a wrong key is an auth error, although the status says bad request", async () => {
  server.respond(google.error(400, "API key not valid. Please pass a valid API key."));
  const answer = stream(testModel(api, server.url), hello, { apiKey: "secret" });
  await answer.result();
  expect(answer.failure).toMatchObject({ code: "auth", retryable: false, status: 400 });
});

test("AI-006 a connection that breaks after the finish reason leaves a complete answer", async () => {
  const { steps = [], headers = {} } = google.text("ok");
  server.respond({ headers, steps: [...steps, cut] });
  expect(await stream(testModel(api, server.url), hello).result()).toMatchObject({
    stopReason: "stop",
    content: [{ type: "text", text: "ok" }],
  });
});
