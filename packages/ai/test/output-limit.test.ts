import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { anthropicWriter } from "../src/apis/anthropic-messages/request.ts";
import { completionsWriter } from "../src/apis/openai-completions/request.ts";
import { defaultMaxTokens, estimatePromptTokens } from "../src/output-limit.ts";
import { assistant, result, user } from "./helpers/messages.ts";
import { testModel } from "./helpers/models.ts";

const model = testModel("test-api", "http://localhost"); // a window of 100,000 and answers of at most 10,000

/** A prompt of about this many tokens. */
function prompt(tokens: number) {
  return { messages: [user("word".repeat(tokens))] };
}

describe("AI-035 the default limit of an answer", () => {
  test.each([
    { tokens: 1000, limit: 10_000 },
    { tokens: 85_904, limit: 10_000 },
    { tokens: 90_000, limit: 5904 },
    { tokens: 95_903, limit: 1 },
    { tokens: 200_000, limit: 1 },
  ])("is $limit behind a prompt of $tokens tokens", ({ tokens, limit }) => {
    expect(defaultMaxTokens(model, prompt(tokens))).toBe(limit);
  });

  test("is the model's own where its window is not known, and none where nothing is", () => {
    expect(defaultMaxTokens({ ...model, contextWindow: 0 }, prompt(200_000))).toBe(10_000);
    expect(defaultMaxTokens({ ...model, maxTokens: 0 }, prompt(1))).toBeUndefined();
  });

  test("goes out on the wires that send one; the caller's own number goes out as it is", () => {
    const claude = { ...model, api: "anthropic-messages" };
    const context = prompt(90_000);
    expect(anthropicWriter.createBody({ model: claude, context, options: {} }).max_tokens).toBe(5904);
    expect(anthropicWriter.createBody({ model: claude, context, options: { maxTokens: 7000 } }).max_tokens).toBe(7000);
    const deepseek = { ...model, api: "openai-completions", provider: "deepseek" };
    expect(completionsWriter.createBody({ model: deepseek, context, options: {} }).max_tokens).toBe(5904);
    const other = { ...deepseek, provider: "other" };
    expect(completionsWriter.createBody({ model: other, context, options: {} })).not.toHaveProperty("max_completion_tokens");
  });
});

test("AI-035 the estimate counts everything that is sent", () => {
  const image = { type: "image" as const, data: "A".repeat(100_000), mimeType: "image/png" };
  const parts = {
    systemPrompt: { systemPrompt: "x".repeat(400), messages: [] },
    text: { messages: [user("x".repeat(400))] },
    scripts: { messages: [user("你".repeat(133))] },
    answer: {
      messages: [
        assistant(model, [
          { type: "text", text: "x".repeat(200) },
          { type: "thinking", thinking: "x".repeat(200) },
        ]),
      ],
    },
    call: {
      messages: [assistant(model, [{ type: "toolCall", id: "1", name: "x".repeat(98), arguments: { a: "x".repeat(294) } }])],
    },
    result: { messages: [result("1", "x".repeat(400))] },
  };
  for (const context of Object.values(parts)) expect(estimatePromptTokens(context)).toBe(100);
  expect(estimatePromptTokens({ messages: [user([image])] })).toBe(1200);
  const tool = { name: "read", description: "x".repeat(400), parameters: Type.Object({}) };
  expect(estimatePromptTokens({ messages: [], tools: [tool] })).toBeGreaterThan(100);
});
