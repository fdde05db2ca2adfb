import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { createBody, requiredBetas } from "../../../src/apis/anthropic-messages/request.ts";
import type { AssistantMessage, Context, Model, StreamOptions } from "../../../src/index.ts";
import { assistant, conversation, result, user } from "../../helpers/messages.ts";
import { testModel } from "../../helpers/models.ts";

const claude = testModel("anthropic-messages", "https://api.anthropic.com", {
  id: "claude-sonnet-4-5",
  provider: "anthropic",
  reasoning: true,
});

function bodyOf(context: Partial<Context>, options: StreamOptions = {}, overrides: Partial<Model> = {}) {
  const model = { ...claude, ...overrides };
  // As it goes over the wire.
  return JSON.parse(JSON.stringify(createBody({ model, context: { messages: [user("hi")], ...context }, options })));
}

test("AN-001 AN-008 AN-010 a conversation with thinking, parallel calls and results", () => {
  const read = { name: "read", description: "Reads a file.", parameters: Type.Object({ path: Type.String() }) };
  const ping = { name: "ping", description: "Pings.", parameters: Type.Object({}) };
  expect(bodyOf({ systemPrompt: "Be brief.", messages: conversation(claude), tools: [read, ping] })).toEqual({
    model: "claude-sonnet-4-5",
    max_tokens: 10_000,
    stream: true,
    thinking: { type: "disabled" },
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    tools: [
      {
        name: "read",
        description: "Reads a file.",
        input_schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      },
      {
        name: "ping",
        description: "Pings.",
        input_schema: { type: "object", properties: {} },
        cache_control: { type: "ephemeral" },
      },
    ],
    messages: [
      { role: "user", content: [{ type: "text", text: "Compare a and b" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Both files", signature: "signature" },
          { type: "text", text: "Reading" },
          { type: "tool_use", id: "call_1", name: "read", input: { path: "a" } },
          { type: "tool_use", id: "call_2", name: "read", input: { path: "b" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", content: [{ type: "text", text: "alpha" }] },
          { type: "tool_result", tool_use_id: "call_2", content: [{ type: "text", text: "no such file" }], is_error: true },
          { type: "text", text: "Go on", cache_control: { type: "ephemeral" } },
        ],
      },
    ],
  });
});

test("AN-007 redacted thinking goes back as it came, thinking without a signature as text", () => {
  const answer = assistant(claude, [
    { type: "thinking", thinking: "", thinkingSignature: "opaque", redacted: true },
    { type: "thinking", thinking: "", thinkingSignature: "signed" },
    { type: "thinking", thinking: "cut short" },
    { type: "text", text: "answer" },
  ]);
  expect(bodyOf({ messages: [user("a"), answer, user("b")] }).messages[1].content).toEqual([
    { type: "redacted_thinking", data: "opaque" },
    { type: "thinking", thinking: "", signature: "signed" },
    { type: "text", text: "cut short" },
    { type: "text", text: "answer" },
  ]);
});

test("AN-008 text behind a call is moved before it", () => {
  const answer = assistant(claude, [
    { type: "toolCall", id: "call_1", name: "ls", arguments: {} },
    { type: "text", text: "late" },
  ]);
  const { messages } = bodyOf({ messages: [user("a"), answer, result("call_1", "ok")] });
  expect(messages[1].content.map((block: { type: string }) => block.type)).toEqual(["text", "tool_use"]);
});

test("AN-010 cache markers: none on request, an hour only where it is supported", () => {
  const context = { systemPrompt: "Be brief." };
  expect(JSON.stringify(bodyOf(context, { cacheRetention: "none" }))).not.toContain("cache_control");
  expect(bodyOf(context, { cacheRetention: "long" }).system[0].cache_control).toEqual({ type: "ephemeral", ttl: "1h" });
  expect(bodyOf(context, { cacheRetention: "long" }, { provider: "other" }).system[0].cache_control).toEqual({ type: "ephemeral" });
});

test("AN-010 the marker stands on images and tool results too", () => {
  const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
  const { messages } = bodyOf({ messages: [{ role: "user", content: [{ type: "text", text: "see" }, image], timestamp: 1 }] });
  expect(messages[0].content[1]).toEqual({
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "AAAA" },
    cache_control: { type: "ephemeral" },
  });
});

test("AN-017 the result of a failed call has no image", () => {
  const answer = assistant(claude, [{ type: "toolCall", id: "call_1", name: "look", arguments: {} }]);
  const failed = { ...result("call_1", "broken"), isError: true };
  failed.content.push({ type: "image", data: "AAAA", mimeType: "image/png" });
  const { messages } = bodyOf({ messages: [user("a"), answer, failed] });
  expect(messages[2].content[0].content).toEqual([
    { type: "text", text: "broken" },
    { type: "text", text: "[An image was here.]" },
  ]);
});

describe("thinking", () => {
  const thinkingOf = (options: StreamOptions, overrides?: Partial<Model>) => {
    const { thinking, output_config, max_tokens, temperature } = bodyOf({}, options, overrides);
    return { thinking, output_config, max_tokens, temperature };
  };

  test.each([
    ["minimal", 1024],
    ["low", 2048],
    ["medium", 8192],
    ["high", 8976],
    ["xhigh", 8976],
  ] as const)("AN-002 %s is a budget of %i, which leaves room for the answer", (reasoning, budget_tokens) => {
    expect(thinkingOf({ reasoning })).toEqual({ thinking: { type: "enabled", budget_tokens }, max_tokens: 10_000 });
  });

  test("AN-002 no room for both means no thinking", () => {
    expect(thinkingOf({ reasoning: "high", maxTokens: 2000 })).toEqual({ thinking: { type: "disabled" }, max_tokens: 2000 });
  });

  test("AN-002 max_tokens is sent even when nobody knows it", () => {
    expect(thinkingOf({}, { maxTokens: 0, reasoning: false })).toEqual({ max_tokens: 8192 });
  });

  test.each([
    { id: "claude-opus-4-6", reasoning: "xhigh", effort: "max" },
    { id: "claude-sonnet-4-6", reasoning: "xhigh", effort: "high" },
    { id: "claude-opus-5", reasoning: "minimal", effort: "low" },
    { id: "claude-haiku-5-20270101", reasoning: "medium", effort: "medium" },
  ] as const)("AN-003 $id at $reasoning decides itself, with effort $effort", ({ id, reasoning, effort }) => {
    const expected = { thinking: { type: "adaptive" }, output_config: { effort }, max_tokens: 10_000 };
    expect(thinkingOf({ reasoning }, { id })).toEqual(expected);
  });

  test.each(["claude-3-7-sonnet-20250219", "claude-sonnet-4-20250514", "claude-opus-4-5", "glm-5"])(
    "AN-003 %s takes a budget",
    (id) => {
      expect(thinkingOf({ reasoning: "low" }, { id }).thinking).toEqual({ type: "enabled", budget_tokens: 2048 });
    },
  );

  test("AN-004 off is said, except to models that reject it; others get no field at all", () => {
    expect(thinkingOf({}).thinking).toEqual({ type: "disabled" });
    expect(thinkingOf({}, { id: "claude-mythos-5" }).thinking).toBeUndefined();
    expect(thinkingOf({}, { compat: { disableThinking: false } }).thinking).toBeUndefined();
    expect(thinkingOf({ reasoning: "high" }, { reasoning: false }).thinking).toBeUndefined();
  });

  test("AN-004 AI-037 temperature is sent, 0 too, but not beside thinking", () => {
    expect(thinkingOf({ temperature: 0 }).temperature).toBe(0);
    expect(thinkingOf({ temperature: 0, reasoning: "low" }).temperature).toBeUndefined();
  });

  test("AN-005 only a budget needs the beta", () => {
    const betasOf = (options: StreamOptions, id = claude.id) =>
      requiredBetas(createBody({ model: { ...claude, id }, context: { messages: [user("hi")] }, options }));
    expect(betasOf({ reasoning: "low" })).toEqual(["interleaved-thinking-2025-05-14"]);
    expect(betasOf({})).toEqual([]);
    expect(betasOf({ reasoning: "low" }, "claude-opus-4-6")).toEqual([]);
  });
});

test("AI-037 without tools and system prompt there are no such fields", () => {
  const body = bodyOf({ systemPrompt: "  " }, {}, { reasoning: false });
  expect(Object.keys(body).sort()).toEqual(["max_tokens", "messages", "model", "stream"]);
});

test("AI-015 the system prompt has no half surrogate pairs", () => {
  expect(bodyOf({ systemPrompt: "a\ud83db 👋" }).system[0].text).toBe("ab 👋");
});

test("AI-016 converting does not change the messages", () => {
  const messages = conversation(claude);
  const before = structuredClone(messages);
  const first = bodyOf({ messages });
  expect(messages).toEqual(before);
  expect(JSON.stringify(bodyOf({ messages }))).toBe(JSON.stringify(first));
});

test("AI-018 thinking of another model goes out as text", () => {
  const answer: AssistantMessage = {
    ...assistant(claude, [{ type: "thinking", thinking: "hm", thinkingSignature: "s" }]),
    model: "x",
  };
  answer.content.push({ type: "text", text: "answer" });
  expect(bodyOf({ messages: [user("a"), answer, user("b")] }).messages[1].content).toEqual([
    { type: "text", text: "hm" },
    { type: "text", text: "answer" },
  ]);
});
