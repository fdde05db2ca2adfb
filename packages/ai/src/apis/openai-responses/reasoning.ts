import type { ResponseCreateParamsStreaming, ResponseIncludable } from "openai/resources/responses/responses";
import type { Model, ThinkingLevel } from "../../types.ts";
import { supportedLevel } from "../level-efforts.ts";
import { type Effort, nearestEffort } from "../openai-efforts.ts";
import { type ResponsesCompat, resolveCompat } from "./compat.ts";

/**
 * Converts a thinking level to request fields. With `store: false` the server keeps no thinking, so we ask for the encrypted copy to send
 * it back.
 */
export function convertReasoning(model: Model, level: ThinkingLevel): Pick<ResponseCreateParamsStreaming, "reasoning" | "include"> {
  const compat = resolveCompat(model);
  const effort = effortFor(level, compat);
  // Without an effort, a reasoning model thinks.
  const isThinking = model.reasoning && effort !== "none";
  const include = new Set(compat.include);
  if (isThinking) include.add("reasoning.encrypted_content");
  return {
    ...(include.size > 0 && { include: [...include] as ResponseIncludable[] }),
    ...(model.reasoning && effort !== undefined && { reasoning: { effort, ...(isThinking && { summary: "auto" }) } }),
  };
}

/** The model's effort nearest to a level. Undefined for `off` if the model cannot switch thinking off. */
function effortFor(level: ThinkingLevel, { efforts, levelEfforts }: ResponsesCompat): Effort | undefined {
  const supported = supportedLevel(level, levelEfforts);
  const usual = supported === "off" ? efforts.find((effort) => effort === "none") : nearestEffort(supported, efforts);
  return (levelEfforts?.[supported] as Effort | undefined) ?? usual;
}
