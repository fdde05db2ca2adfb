import { cut, keepOpen, openai, openaiDone, type ProviderServer, startProviderServer } from "@pikit/test-kit";
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
