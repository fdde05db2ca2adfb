import type { ResponseCreateParamsStreaming, ResponseIncludable } from "openai/resources/responses/responses";
import type { Model, ThinkingLevel } from "../../types.ts";
import { type Effort, nearestEffort } from "../openai-efforts.ts";
import { type ResponsesCompat, resolveCompat } from "./compat.ts";

/**
 * How to say how hard to think. Without `store` the server forgets what the model thought; the encrypted copy is what can be sent back.
 */
export function convertReasoning(model: Model, level: ThinkingLevel): Pick<ResponseCreateParamsStreaming, "reasoning" | "include"> {
  const compat = resolveCompat(model);
  const effort = effortFor(level, compat);
  // A model that cannot be told not to think thinks all the same.
  const isThinking = model.reasoning && effort !== "none";
  const include = new Set(compat.include);
  if (isThinking) include.add("reasoning.encrypted_content");
  return {
    ...(include.size > 0 && { include: [...include] as ResponseIncludable[] }),
    ...(model.reasoning && effort !== undefined && { reasoning: { effort, ...(isThinking && { summary: "auto" }) } }),
  };
}

/** The effort to send for a level: the nearest one that the model knows. None where it cannot be told not to think. */
function effortFor(level: ThinkingLevel, { efforts }: ResponsesCompat): Effort | undefined {
  return level === "off" ? efforts.find((effort) => effort === "none") : nearestEffort(level, efforts);
}
