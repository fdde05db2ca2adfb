import type { Model, ThinkingLevel } from "../../types.ts";
import { supportedLevel } from "../level-efforts.ts";
import { nearestEffort } from "../openai-efforts.ts";
import { resolveCompat } from "./compat.ts";
import type { OpenAICompat } from "./openai-compat.ts";

/** The vendors' request fields that control thinking. Each endpoint gets only the fields that it supports. */
export interface ReasoningFields {
  /** Groq also accepts `default`. */
  reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh";
  /** DeepSeek, z.ai and Moonshot. z.ai drops earlier thinking unless `clear_thinking` is false. */
  thinking?: { type: "enabled" | "disabled"; clear_thinking?: boolean };
  /** Qwen. */
  enable_thinking?: boolean;
  /** Qwen on servers that pass these values to the chat template, such as vLLM and SGLang. */
  chat_template_kwargs?: { enable_thinking: boolean; preserve_thinking: boolean };
  /** OpenRouter. */
  reasoning?: { effort: string };
}

/** Converts a thinking level to request fields. `off` is sent too, because some models think by default. */
export function convertReasoning(model: Model, level: ThinkingLevel): ReasoningFields {
  if (!model.reasoning) return {};
  const compat = resolveCompat(model);
  const supported = supportedLevel(level, compat.levelEfforts);
  const usual = supported === "off" ? compat.effortOff : nearestEffort(supported, compat.efforts);
  const effort = compat.levelEfforts?.[supported] ?? usual;
  return {
    ...(compat.reasoningEffort && effort !== undefined && { reasoning_effort: effort as "low" }),
    ...convertSwitch(supported !== "off", effort, compat),
  };
}

/** Whether each replayed answer must have `reasoning_content`, even if empty. */
export function requiresReasoning(model: Model, level: ThinkingLevel): boolean {
  return model.reasoning && level !== "off" && resolveCompat(model).requireReasoningContent;
}

function convertSwitch(isOn: boolean, effort: string | undefined, { thinkingSwitch }: OpenAICompat): ReasoningFields {
  const type = isOn ? "enabled" : "disabled";
  switch (thinkingSwitch) {
    case "none":
      return {};
    case "thinking":
      return { thinking: { type } };
    case "zai":
      return { thinking: { type, clear_thinking: false } };
    case "enable_thinking":
      return { enable_thinking: isOn };
    case "chat_template_kwargs":
      return { chat_template_kwargs: { enable_thinking: isOn, preserve_thinking: isOn } };
    case "openrouter":
      return effort === undefined ? {} : { reasoning: { effort } };
  }
}
