import { assertLinear } from "@pikit/test-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApiRequest } from "../src/api-adapter.ts";
import { createBody as anthropicBody } from "../src/apis/anthropic-messages/request.ts";
import { createBody as googleBody } from "../src/apis/google-generative-ai/request.ts";
import { createBody as chatBody } from "../src/apis/openai-completions/request.ts";
import { createBody as responsesBody } from "../src/apis/openai-responses/request.ts";
import type { Message, Model } from "../src/index.ts";
import { anyHistory } from "./helpers/histories.ts";
import { assistant, result, user } from "./helpers/messages.ts";
import { testModel } from "./helpers/models.ts";
import { anthropicRules, chatRules, googleRules, responsesRules, type WireRules } from "./helpers/wire-rules.ts";

interface Target {
  model: Model;
  createBody: (request: ApiRequest) => unknown;
  rules: WireRules;
}

function target(api: string, id: string, overrides: Partial<Model>, createBody: Target["createBody"], rules: WireRules): Target {
  return { model: testModel(api, "http://localhost", { id, reasoning: true, ...overrides }), createBody, rules };
}

const textOnly = { input: ["text" as const] };

/** Models that differ in what their conversations must look like. A new adapter joins by a line here. */
const targets: readonly Target[] = [
  target("anthropic-messages", "claude-sonnet-4-5", { provider: "anthropic" }, anthropicBody, anthropicRules),
  target("anthropic-messages", "glm-5", { provider: "gateway", ...textOnly }, anthropicBody, anthropicRules),
  target("openai-completions", "any", {}, chatBody, chatRules()),
  target("openai-completions", "gpt-5.1", { provider: "openai" }, chatBody, chatRules()),
  target(
    "openai-completions",
    "mistral-large",
    { provider: "mistral" },
    chatBody,
    chatRules({ id: /^[A-Za-z0-9]{9}$/, bridged: true }),
  ),
  target("openai-completions", "deepseek-chat", { provider: "deepseek", ...textOnly }, chatBody, chatRules()),
  target("openai-completions", "anthropic/claude", { provider: "openrouter" }, chatBody, chatRules()),
  target("openai-responses", "gpt-5.1", { provider: "openai" }, responsesBody, responsesRules),
  target("openai-responses", "any", textOnly, responsesBody, responsesRules),
  target("google-generative-ai", "gemini-3-pro", { provider: "google" }, googleBody, googleRules),
  target("google-generative-ai", "gemini-2.5-flash", { provider: "google" }, googleBody, googleRules),
];
const writers = targets.map(({ model }) => model);

describe.each(targets)("$model.api to $model.provider/$model.id", ({ model, createBody, rules }) => {
  const convert = (messages: Message[]) =>
    JSON.stringify(createBody({ model, context: { messages }, options: { reasoning: "low" } }));

  test("AI-016 AI-020 AI-021 AI-023 AI-024 AI-025 AI-027 any history keeps the vendor's rules, unchanged, in the same bytes twice", () => {
    // Answers of the model itself and of one other are the likely case, and the one with signatures.
    const histories = fc.constantFrom(...writers).chain((other) => anyHistory([model, model, other]));
    fc.assert(
      fc.property(histories, (messages) => {
        const before = structuredClone(messages);
        const sent = convert(messages);
        expect(messages).toEqual(before);
        expect(convert(messages)).toBe(sent);
        // What is left of half a surrogate pair would be an escape.
        expect(sent).not.toMatch(/\\ud[89a-f]/i);
        rules(JSON.parse(sent));
      }),
      { numRuns: 150 },
    );
  });

  test("AI-020 the message that ends an aborted run changes nothing of the next request", () => {
    const call = assistant(model, [{ type: "toolCall", id: "call 1", name: "read", arguments: { path: "a" } }]);
    const note = { ...assistant(model, []), stopReason: "aborted" as const, errorMessage: "The run was aborted." };
    const before = [user("question"), call, result("call 1", "x")];
    const sent = convert([...before, note, user("go on")]);
    rules(JSON.parse(sent));
    expect(sent).toBe(convert([...before, user("go on")]));
  });
});

/** One of each API, and one that has its calls renamed. */
const [first, ...others] = targets;
const differing = [
  first as Target,
  ...others.filter(({ createBody, model }, n) => createBody !== targets[n]?.createBody || model.provider === "mistral"),
];

test.each(differing)("AI-008 a long conversation to $model.provider/$model.id takes linear time", async ({ model, createBody }) => {
  await assertLinear(10_000, (turns) => {
    const messages = Array.from({ length: turns }, (_, index): Message[] => [
      user("question"),
      assistant(model, [
        { type: "text", text: "answer" },
        { type: "toolCall", id: `call ${index}`, name: "read", arguments: { path: "a" } },
      ]),
      result(`call ${index}`, "x"),
    ]).flat();
    return () => JSON.stringify(createBody({ model, context: { messages }, options: { reasoning: "low" } }));
  });
});
