import { cut, keepOpen, openai, openaiDone, type ProviderServer, startProviderServer } from "@pikit/test-kit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
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

test("ER-024 without a key the error names the variable, and nothing is sent", async () => {
  vi.stubEnv("OPENAI_API_KEY", "");
  const answer = stream(testModel("openai-completions", server.url, { provider: "openai" }), hello);
  expect((await answer.result()).errorMessage).toBe(
    "No API key for openai. Set OPENAI_API_KEY in the environment, or pass apiKey.",
  );
  expect(server.requests).toEqual([]);
});

test("ER-024 a refused key is an auth error that shows nothing of the key, masked or not", async () => {
  vi.stubEnv("OPENAI_API_KEY", "sk-proj-secret");
  server.respond(openai.error(401, "Incorrect API key provided: sk-proj-*****cret."));
  const answer = stream(testModel("openai-completions", server.url, { provider: "openai" }), hello);
  expect((await answer.result()).errorMessage).toBe("401 from openai: Incorrect API key provided: <key> (check OPENAI_API_KEY)");
});

test("AI-029 a key that no header can carry is refused without showing it", async () => {
  const answer = stream(testModel("openai-completions", server.url), hello, { apiKey: "secret\nkey" });
  expect((await answer.result()).errorMessage).not.toContain("secret");
  expect(answer.failure?.code).toBe("auth");
  expect(server.requests).toEqual([]);
});

test("AN-019 the vendor's own variables do not reach a compatible endpoint", async () => {
  vi.stubEnv("OPENAI_API_KEY", "sk-secret");
  vi.stubEnv("OPENAI_ADMIN_KEY", "sk-admin");
  vi.stubEnv("OPENAI_ORG_ID", "org");
  vi.stubEnv("OPENAI_PROJECT_ID", "project");
  vi.stubEnv("OPENAI_BASE_URL", "http://127.0.0.1:1");
  server.respond(openai.text("ok"), openai.text("ok"));
  await stream(testModel("openai-completions", server.url), hello).result();
  const { headers } = await server.nextRequest();
  expect(headers).not.toHaveProperty("authorization");
  expect(headers).not.toHaveProperty("openai-organization");
  expect(headers).not.toHaveProperty("openai-project");
  await stream(testModel("openai-completions", server.url, { provider: "openai" }), hello).result();
  expect((await server.nextRequest()).headers).toMatchObject({ authorization: "Bearer sk-secret", "openai-organization": "org" });
});

test("AN-019 headers that the vendor's SDK takes from the environment do not reach a compatible endpoint", async () => {
  vi.stubEnv("OPENAI_API_KEY", "sk-secret");
  vi.stubEnv("OPENAI_CUSTOM_HEADERS", "X-Secret: s3cret\nX-Team: ambient");
  server.respond(openai.text("ok"), openai.text("ok"));
  await stream(testModel("openai-completions", server.url), hello, { headers: { "x-team": "mine" } }).result();
  await stream(testModel("openai-completions", server.url, { provider: "openai" }), hello).result();
  const [foreign, own] = server.requests.map(({ headers }) => [headers["x-secret"], headers["x-team"]]);
  expect(foreign).toEqual([undefined, "mine"]);
  expect(own).toEqual(["s3cret", "ambient"]);
});

test("OC-029 AI-029 a local server without a key gets no credential", async () => {
  server.respond(openai.text("ok"));
  await stream(testModel("openai-completions", server.url, { provider: "ollama" }), hello).result();
  expect(JSON.stringify(server.requests[0]?.headers)).not.toMatch(/authorization|api-key|undefined|unused/i);
});

test("OC-025 comments of a gateway that is still working are passed over", async () => {
  const { steps = [], headers = {} } = openai.text("ok");
  server.respond({ headers, steps: [": OPENROUTER PROCESSING\n\n", ": OPENROUTER PROCESSING\n\n", ...steps] });
  expect((await stream(testModel("openai-completions", server.url), hello).result()).stopReason).toBe("stop");
});

describe("errors that only some servers know", () => {
  const failureOf = async (status: number, body: unknown, provider = "test") => {
    server.respond({ status, body });
    const answer = stream(testModel("openai-completions", server.url, { provider }), hello, { apiKey: "csk-secret" });
    await answer.result();
    return answer.failure;
  };

  test("OC-026 a call that Groq could not read is shown, and may be tried again", async () => {
    const error = {
      message: "Failed to call a function. Please adjust your prompt.",
      type: "invalid_request_error",
      code: "tool_use_failed",
    };
    expect(await failureOf(400, { error })).toMatchObject({
      code: "invalid_request",
      retryable: true,
      message: "400 from test: Failed to call a function. Please adjust your prompt.",
    });
  });

  test.each([400, 500])("OC-030 llama.cpp's exceed_context_size_error is an overflow, also as status %i", async (status) => {
    const error = { code: status, message: "the prompt does not fit", type: "exceed_context_size_error", n_ctx: 4096 };
    expect(await failureOf(status, { error })).toMatchObject({ code: "context_overflow", retryable: false, status });
  });

  test("OC-030 arguments that llama.cpp cannot read fail again with the same request", async () => {
    const error = { code: 500, message: "Failed to parse tool call arguments as JSON: syntax error", type: "server_error" };
    expect(await failureOf(500, { error })).toMatchObject({ code: "overloaded", retryable: false });
  });

  test("OC-023 z.ai's code 1261 is an overflow", async () => {
    expect(await failureOf(400, { error: { code: "1261", message: "Prompt too long" } })).toMatchObject({
      code: "context_overflow",
    });
  });

  test.each([400, 413])(
    "OC-028 ER-008 status %i without a body is an overflow from Cerebras and from nobody else",
    async (status) => {
      expect(await failureOf(status, "", "cerebras")).toMatchObject({ code: "context_overflow", retryable: false });
      expect(await failureOf(status, "")).toMatchObject({
        code: status === 413 ? "request_too_large" : "invalid_request",
        retryable: false,
      });
    },
  );
});

test.each([
  { body: { detail: "Not Found" }, message: "404 from test: Not Found" },
  { body: { message: "no Route matched" }, message: "404 from test: no Route matched" },
  { body: { error: "model not found" }, message: "404 from test: model not found" },
  {
    body: { detail: [{ loc: ["body"], msg: "field required" }] },
    message: '404 from test: [{"loc":["body"],"msg":"field required"}]',
  },
  { body: "plain text", message: "404 from test: plain text" },
  { body: "", message: "404 from test: no message" },
])("AI-034 $message", async ({ body, message }) => {
  server.respond({ status: 404, body });
  expect((await stream(testModel("openai-completions", server.url), hello).result()).errorMessage).toBe(message);
});

test("AI-006 a connection that breaks after the finish reason leaves a complete answer", async () => {
  const { steps = [], headers = {} } = openai.text("ok");
  server.respond({ headers, steps: [...steps.slice(0, -2), cut] });
  expect(await stream(testModel("openai-completions", server.url), hello).result()).toMatchObject({
    stopReason: "stop",
    content: [{ type: "text", text: "ok" }],
  });
});

test("the answer ends at [DONE], also when the server keeps the connection open", async () => {
  const { steps = [], headers = {} } = openai.text("ok");
  server.respond({ headers, steps: [...steps, keepOpen] });
  expect(steps.at(-1)).toBe(openaiDone);
  expect((await stream(testModel("openai-completions", server.url), hello).result()).stopReason).toBe("stop");
  await (await server.nextRequest()).closed;
});
