import type { Model, ThinkingLevel } from "../../types.ts";
import { nearestEffort } from "../openai-efforts.ts";
import { type OpenAICompat, resolveCompat } from "./compat.ts";

/** What the vendors' requests have to say about thinking. Each endpoint gets the one or two that it knows. */
export interface ReasoningFields {
  /** `default` is Groq's. */
  reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh";
  /** DeepSeek, z.ai and Moonshot; z.ai forgets what was thought before unless told not to. */
  thinking?: { type: "enabled" | "disabled"; clear_thinking?: boolean };
  /** Qwen. */
  enable_thinking?: boolean;
  /** Qwen on servers that hand such values to the chat template, as vLLM and SGLang do. */
  chat_template_kwargs?: { enable_thinking: boolean; preserve_thinking: boolean };
  /** OpenRouter. */
  reasoning?: { effort: string };
}

/** How to say how hard to think. Off is said too, since some think unless told not to. */
export function convertReasoning(model: Model, level: ThinkingLevel): ReasoningFields {
  if (!model.reasoning) return {};
  const compat = resolveCompat(model);
  const effort = level === "off" ? compat.effortOff : nearestEffort(level, compat.efforts);
  return {
    ...(compat.reasoningEffort && effort !== undefined && { reasoning_effort: effort as "low" }),
    ...convertSwitch(level !== "off", effort, compat),
  };
}

/** Whether each answer that is replayed must have `reasoning_content`, even an empty one. */
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
