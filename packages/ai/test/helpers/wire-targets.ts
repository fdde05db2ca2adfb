import { anthropicWriter } from "../../src/apis/anthropic-messages/request.ts";
import { googleWriter } from "../../src/apis/google-generative-ai/request.ts";
import { completionsWriter } from "../../src/apis/openai-completions/request.ts";
import { responsesWriter } from "../../src/apis/openai-responses/request.ts";
import type { RequestWriter } from "../../src/apis/prepared-request.ts";
import type { Model } from "../../src/index.ts";
import { testModel } from "./models.ts";
import { anthropicRules, chatRules, googleRules, responsesRules, type WireRules } from "./wire-rules.ts";

/** A model, its wire, and what a conversation must look like there. */
export interface Target {
  model: Model;
  writer: RequestWriter<object, unknown>;
  rules: WireRules;
}

function target(api: string, id: string, overrides: Partial<Model>, writer: unknown, rules: WireRules): Target {
  return {
    model: testModel(api, "http://localhost", { id, reasoning: true, ...overrides }),
    writer: writer as Target["writer"],
    rules,
  };
}

const textOnly = { input: ["text" as const] };

/** Models that differ in what their conversations must look like. A new adapter joins by a line here. */
export const targets: readonly Target[] = [
  target("anthropic-messages", "claude-sonnet-4-5", { provider: "anthropic" }, anthropicWriter, anthropicRules),
  target("anthropic-messages", "glm-5", { provider: "gateway", ...textOnly }, anthropicWriter, anthropicRules),
  target("openai-completions", "any", {}, completionsWriter, chatRules()),
  target("openai-completions", "gpt-5.1", { provider: "openai" }, completionsWriter, chatRules()),
  target(
    "openai-completions",
    "mistral-large",
    { provider: "mistral" },
    completionsWriter,
    chatRules({ id: /^[A-Za-z0-9]{9}$/, bridged: true }),
  ),
  target("openai-completions", "deepseek-chat", { provider: "deepseek", ...textOnly }, completionsWriter, chatRules()),
  target("openai-completions", "anthropic/claude", { provider: "openrouter" }, completionsWriter, chatRules()),
  target("openai-responses", "gpt-5.1", { provider: "openai" }, responsesWriter, responsesRules),
  target("openai-responses", "any", textOnly, responsesWriter, responsesRules),
  target("google-generative-ai", "gemini-3-pro", { provider: "google" }, googleWriter, googleRules),
  target("google-generative-ai", "gemini-2.5-flash", { provider: "google" }, googleWriter, googleRules),
];
