import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { defaultMaxTokens } from "../../output-limit.ts";
import type { Context, Model, ThinkingLevel } from "../../types.ts";
import { resolveCompat } from "./compat.ts";

/** What a request says about thinking. */
export type ThinkingFields = Pick<MessageCreateParamsStreaming, "thinking" | "output_config">;

/** Sent where neither the call nor the model says how long an answer may be: the API wants a number. */
const unknownModelMaxTokens = 8192;

/** Tokens of thinking; what the API calls a budget. Its least is 1024, and as much must be left for the answer. */
const thinkingBudgets = { minimal: 1024, low: 2048, medium: 8192, high: 16_384, xhigh: 16_384 } as const;
const minThinkingBudget = 1024;
const minAnswerTokens = 1024;

/** Most tokens of an answer where the call does not say. */
export function maxTokensOf(model: Model, context: Context): number {
  return defaultMaxTokens(model, context) ?? unknownModelMaxTokens;
}

/** How to say how hard to think. @param maxTokens - Of thinking and answer together. */
export function convertThinking(model: Model, level: ThinkingLevel, maxTokens: number): ThinkingFields {
  if (!model.reasoning) return {};
  const compat = resolveCompat(model);
  const off = compat.disableThinking ? { thinking: { type: "disabled" } as const } : {};
  if (level === "off") return off;
  if (compat.thinking === "adaptive") {
    const efforts = { minimal: "low", low: "low", medium: "medium", high: "high", xhigh: compat.maxEffort } as const;
    return { thinking: { type: "adaptive" }, output_config: { effort: efforts[level] } };
  }
  const budget = Math.min(thinkingBudgets[level], maxTokens - minAnswerTokens);
  return budget < minThinkingBudget ? off : { thinking: { type: "enabled", budget_tokens: budget } };
}
