import { anthropic, keepOpen, type ProviderServer, startProviderServer } from "@pikit/test-kit";
import { holdClock } from "@pikit/test-kit/clock";
import { Type } from "@sinclair/typebox";
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

const anthropicStart = [
  { type: "message_start", message: {} },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "Hel" } },
];
const hello = { messages: [user("hello")] };

test("ER-024 without a key the error names the variable, and nothing is sent", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "");
  const answer = stream(testModel("anthropic-messages", server.url, { provider: "anthropic" }), hello);
  expect((await answer.result()).errorMessage).toBe(
    "No API key for anthropic. Set ANTHROPIC_API_KEY in the environment, or pass apiKey.",
  );
  expect(answer.failure?.code).toBe("auth");
  expect(server.requests).toEqual([]);
});

test("ER-024 a refused key is an auth error that names the variable and shows nothing of the key", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "sk-ant-secret-123456");
  server.respond(anthropic.error(401, "invalid x-api-key: sk-ant-secret-123456", { type: "authentication_error" }));
  const answer = stream(testModel("anthropic-messages", server.url, { provider: "anthropic" }), hello);
  expect((await answer.result()).errorMessage).toBe("401 from anthropic: invalid x-api-key: <key> (check ANTHROPIC_API_KEY)");
});

test("AN-019 the vendor's own variables do not reach a compatible endpoint", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "sk-ant-secret");
  vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "token");
  vi.stubEnv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1");
  server.respond(anthropic.text("ok"), anthropic.text("ok"));
  const model = testModel("anthropic-messages", server.url, { provider: "gateway" });
  await stream(model, hello).result();
  await stream(model, hello, { apiKey: "own" }).result();
  const credentials = server.requests.map(({ headers }) => [headers.authorization, headers["x-api-key"]]);
  expect(credentials).toEqual([
    [undefined, undefined],
    [undefined, "own"],
  ]);
});

test("AN-019 headers that the vendor's SDK takes from the environment do not reach a compatible endpoint", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "sk-ant-secret");
  vi.stubEnv("ANTHROPIC_CUSTOM_HEADERS", "X-Secret: s3cret\nX-Team: ambient\nnonsense");
  server.respond(anthropic.text("ok"), anthropic.text("ok"));
  await stream(testModel("anthropic-messages", server.url), hello, { headers: { "x-team": "mine" } }).result();
  await stream(testModel("anthropic-messages", server.url, { provider: "anthropic" }), hello).result();
  const [foreign, own] = server.requests.map(({ headers }) => [headers["x-secret"], headers["x-team"]]);
  expect(foreign).toEqual([undefined, "mine"]);
  expect(own).toEqual(["s3cret", "ambient"]);
});

test("AN-013 a stream that closes before message_stop is an error that may be retried", async () => {
  for (const events of [[], [{ type: "message_start", message: {} }], anthropicStart]) {
    server.respond(anthropic.events(events));
    const answer = stream(testModel("anthropic-messages", server.url), hello);
    expect((await answer.result()).errorMessage).toBe("test closed the stream before message_stop; the answer is incomplete.");
    expect(answer.failure).toMatchObject({ code: "bad_response", retryable: true });
  }
});

test("AN-018 a tool whose name the API does not take is called by its own name", async () => {
  const tools = [{ name: "files.read", description: "Reads.", parameters: Type.Object({}) }];
  server.respond(({ body }) => anthropic.toolCall((body as { tools: { name: string }[] }).tools[0]?.name ?? ""));
  const message = await stream(testModel("anthropic-messages", server.url), { ...hello, tools }).result();
  expect(message.content).toMatchObject([{ type: "toolCall", name: "files.read" }]);
});

test("AI-032 a stream that falls silent ends after idleTimeoutMs", async () => {
  server.respond(anthropic.answer([{ text: "Hel" }], { ending: [keepOpen] }));
  const clock = holdClock();
  const answer = stream(testModel("anthropic-messages", server.url), hello, { idleTimeoutMs: 60_000 });
  for await (const { type } of answer) if (type === "text_delta") clock.pass(60_000);
  expect(await answer.result()).toMatchObject({
    stopReason: "error",
    errorMessage: "No answer from test: no event arrived within 60000 ms",
    content: [{ text: "Hel" }],
  });
  expect(answer.failure).toMatchObject({ code: "network", retryable: true });
  await (await server.nextRequest()).closed;
});

test("AN-005 betas of the caller and ours share one header", async () => {
  server.respond(anthropic.text("ok"), anthropic.text("ok"));
  const model = testModel("anthropic-messages", server.url, { reasoning: true });
  await stream(model, hello, { reasoning: "low", headers: { "anthropic-beta": "mine, interleaved-thinking-2025-05-14" } }).result();
  await stream(model, hello).result();
  expect(server.requests.map(({ headers }) => headers["anthropic-beta"])).toEqual([
    "mine,interleaved-thinking-2025-05-14",
    undefined,
  ]);
});

test("asks for the API version that every compatible server knows", async () => {
  server.respond(anthropic.text("ok"));
  await stream(testModel("anthropic-messages", server.url), hello).result();
  expect(server.requests[0]?.headers["anthropic-version"]).toBe("2023-06-01");
});

test("prints nothing, also for models that the SDK warns of", async () => {
  const printed: unknown[] = [];
  for (const method of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, method).mockImplementation((...args) => void printed.push(args));
  }
  vi.stubEnv("ANTHROPIC_LOG", "debug");
  server.respond(anthropic.text("ok"), anthropic.error(500, "no"));
  const model = testModel("anthropic-messages", server.url, { id: "claude-sonnet-4-5" });
  await stream(model, hello).result();
  await stream(model, hello).result();
  vi.restoreAllMocks();
  expect(printed).toEqual([]);
});
