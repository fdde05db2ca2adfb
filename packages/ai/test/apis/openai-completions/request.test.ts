import { Type } from "@sinclair/typebox";
import { expect, test } from "vitest";
import { completionsWriter } from "../../../src/apis/openai-completions/request.ts";
import type { Context, ImageContent, Model, StreamOptions } from "../../../src/index.ts";
import { assistant, conversation, result, user } from "../../helpers/messages.ts";
import { testModel } from "../../helpers/models.ts";

const { createBody } = completionsWriter;

const local = testModel("openai-completions", "http://localhost:8080/v1", { provider: "local" });
const gpt = testModel("openai-completions", "https://api.openai.com/v1", { provider: "openai", id: "gpt-5.1", reasoning: true });

function bodyOf(model: Model, context: Partial<Context> = {}, options: StreamOptions = {}) {
  // As it goes over the wire.
  return JSON.parse(JSON.stringify(createBody({ model, context: { messages: [user("hi")], ...context }, options })));
}

test("OC-009 OC-011 a conversation with thinking, parallel calls and results", () => {
  const read = { name: "read", description: "Reads a file.", parameters: Type.Object({ path: Type.String() }) };
  const messages = conversation(local, "reasoning_content");
  expect(bodyOf(local, { systemPrompt: "Be brief.", messages, tools: [read] })).toEqual({
    model: "test-model",
    stream: true,
    stream_options: { include_usage: true },
    tools: [
      {
        type: "function",
        function: {
          name: "read",
          description: "Reads a file.",
          parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
        },
      },
    ],
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Compare a and b" },
      {
        role: "assistant",
        content: "Reading",
        reasoning_content: "Both files",
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
          { id: "call_2", type: "function", function: { name: "read", arguments: '{"path":"b"}' } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "alpha" },
      { role: "tool", tool_call_id: "call_2", content: "no such file" },
      { role: "user", content: [{ type: "text", text: "Go on" }] },
    ],
  });
});

test("OC-011 an answer of calls only has null content", () => {
  const answer = assistant(local, [{ type: "toolCall", id: "a", name: "ls", arguments: {} }]);
  expect(bodyOf(local, { messages: [user("a"), answer, result("a", "x")] }).messages[1]).toEqual({
    role: "assistant",
    content: null,
    tool_calls: [{ id: "a", type: "function", function: { name: "ls", arguments: "{}" } }],
  });
});

test("OC-015 images of results go into one user message behind all results", () => {
  const image = (data: string): ImageContent => ({ type: "image", data, mimeType: "image/png" });
  const answer = assistant(local, [
    { type: "toolCall", id: "a", name: "look", arguments: {} },
    { type: "toolCall", id: "b", name: "look", arguments: {} },
  ]);
  const first = { ...result("a", "first"), content: [{ type: "text" as const, text: "first" }, image("iVBORw0KGgo=")] };
  const second = { ...result("b", ""), content: [image("iVBORw0KGgoA")] };
  expect(bodyOf(local, { messages: [user("a"), answer, first, second, user("b")] }).messages.slice(2)).toEqual([
    { role: "tool", tool_call_id: "a", content: "first" },
    { role: "tool", tool_call_id: "b", content: "(the result is this image)" },
    {
      role: "user",
      content: [
        { type: "text", text: "Images of the tool results:" },
        { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
        { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgoA" } },
      ],
    },
    { role: "user", content: "b" },
  ]);
});

test("OC-012 the role developer is for reasoning models of endpoints that know it", () => {
  const roleOf = (model: Model) => bodyOf(model, { systemPrompt: "Be brief." }).messages[0].role;
  expect(roleOf(gpt)).toBe("developer");
  expect(roleOf({ ...gpt, reasoning: false })).toBe("system");
  expect(roleOf({ ...gpt, provider: "other", baseUrl: "http://localhost" })).toBe("system");
  expect(roleOf({ ...local, reasoning: true, compat: { developerRole: true } })).toBe("developer");
});

test("OC-013 OC-019 the field of the output limit goes by setting, provider and host", () => {
  const fieldOf = (overrides: Partial<Model>) =>
    Object.keys(bodyOf({ ...local, ...overrides }, {}, { maxTokens: 50 })).find((name) => name.startsWith("max"));
  expect(fieldOf({})).toBe("max_completion_tokens");
  expect(fieldOf({ provider: "deepseek" })).toBe("max_tokens");
  expect(fieldOf({ baseUrl: "https://api.mistral.ai/v1" })).toBe("max_tokens");
  expect(fieldOf({ baseUrl: "https://API.DeepSeek.com" })).toBe("max_tokens");
  expect(fieldOf({ baseUrl: "http://localhost/mistral.ai" })).toBe("max_completion_tokens");
  expect(fieldOf({ baseUrl: "https://notmistral.ai" })).toBe("max_completion_tokens");
  expect(fieldOf({ provider: "deepseek", compat: { maxTokensField: "max_completion_tokens" } })).toBe("max_completion_tokens");
});

test("OC-014 OC-031 what only some endpoints know goes to those alone", () => {
  const options: StreamOptions = { sessionId: "s".repeat(80), reasoning: "xhigh" };
  expect(bodyOf(gpt, {}, options)).toMatchObject({ store: false, prompt_cache_key: "s".repeat(64), reasoning_effort: "high" });
  expect(bodyOf(gpt, {}, { ...options, cacheRetention: "none" })).not.toHaveProperty("prompt_cache_key");
  expect(Object.keys(bodyOf(local, {}, options)).sort()).toEqual(["messages", "model", "stream", "stream_options"]);
  expect(bodyOf({ ...local, compat: { includeUsage: false } })).not.toHaveProperty("stream_options");
});

test("AI-036 thinking is switched off where it is on by default", () => {
  expect(bodyOf(gpt).reasoning_effort).toBe("none");
  expect(bodyOf({ ...gpt, id: "gpt-5-mini" }).reasoning_effort).toBe("minimal");
  expect(bodyOf({ ...gpt, id: "o3" })).not.toHaveProperty("reasoning_effort");
  expect(bodyOf({ ...gpt, reasoning: false }, {}, { reasoning: "high" })).not.toHaveProperty("reasoning_effort");
  expect(bodyOf({ ...local, reasoning: true })).not.toHaveProperty("reasoning_effort");
  expect(bodyOf({ ...local, reasoning: true }, {}, { reasoning: "low" }).reasoning_effort).toBe("low");
});

test("AI-037 temperature 0 is sent", () => {
  expect(bodyOf(local, {}, { temperature: 0 }).temperature).toBe(0);
});

test("AI-016 converting does not change the messages", () => {
  const messages = conversation(local);
  const before = structuredClone(messages);
  const first = JSON.stringify(bodyOf(local, { messages }));
  expect(messages).toEqual(before);
  expect(JSON.stringify(bodyOf(local, { messages }))).toBe(first);
});
