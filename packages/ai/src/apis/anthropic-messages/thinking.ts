import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { defaultMaxTokens, type MessageSize } from "../../output-limit.ts";
import type { Context, Model, ThinkingLevel } from "../../types.ts";
import { supportedLevel } from "../level-efforts.ts";
import { resolveCompat } from "./compat.ts";

/** The fields of a request that control thinking. */
export type ThinkingFields = Pick<MessageCreateParamsStreaming, "thinking" | "output_config">;

/** Sent when neither the call nor the model sets a limit: the API requires one. */
const unknownModelMaxTokens = 8192;

/** Thinking tokens per level. The API's minimum is 1024, and we leave at least as many for the answer. */
const thinkingBudgets = { minimal: 1024, low: 2048, medium: 8192, high: 16_384, xhigh: 16_384 } as const;
const minThinkingBudget = 1024;
const minAnswerTokens = 1024;

/** The maximum tokens of an answer when the call sets none. */
export function maxTokensOf(model: Model, context: Context, size?: MessageSize): number {
  return defaultMaxTokens(model, context, size) ?? unknownModelMaxTokens;
}

/** Converts a thinking level to request fields. @param maxTokens - Tokens of thinking and answer together. */
export function convertThinking(model: Model, level: ThinkingLevel, maxTokens: number): ThinkingFields {
  if (!model.reasoning) return {};
  const compat = resolveCompat(model);
  const off = compat.disableThinking ? { thinking: { type: "disabled" } as const } : {};
  const supported = supportedLevel(level, compat.levelEfforts);
  if (supported === "off") return off;
  if (compat.thinking === "adaptive") {
    const efforts = { minimal: "low", low: "low", medium: "medium", high: "high", xhigh: compat.maxEffort } as const;
    const effort = (compat.levelEfforts?.[supported] as "low" | undefined) ?? efforts[supported];
    return { thinking: { type: "adaptive" }, output_config: { effort } };
  }
  const budget = Math.min(thinkingBudgets[supported], maxTokens - minAnswerTokens);
  return budget < minThinkingBudget ? off : { thinking: { type: "enabled", budget_tokens: budget } };
}
