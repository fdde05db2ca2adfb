import type { Model } from "../../types.ts";

/** How a model or endpoint departs from the newest Messages API. Each field can be set in the model's `compat`. */
export interface AnthropicCompat {
  /** `budget`: thinking is given a number of tokens. `adaptive`: the model decides, guided by an effort. */
  thinking: "budget" | "adaptive";
  /** The strongest effort of an adaptive model. */
  maxEffort: "high" | "xhigh" | "max";
  /** Whether `thinking: {type: "disabled"}` is accepted. */
  disableThinking: boolean;
  /** Whether a cache entry may be kept for an hour. */
  longCache: boolean;
}

/** Resolves each field by itself: the model's own setting, else what its name and provider tell. */
export function resolveCompat(model: Model): AnthropicCompat {
  const isAdaptive = claudeVersion(model.id) >= 4.6;
  const fromName: AnthropicCompat = {
    thinking: isAdaptive ? "adaptive" : "budget",
    maxEffort: isAdaptive && !model.id.includes("haiku") ? "max" : "high",
    disableThinking: !/fable|mythos/.test(model.id),
    longCache: model.provider === "anthropic",
  };
  return { ...fromName, ...(model.compat as Partial<AnthropicCompat> | undefined) };
}

/** `claude-opus-4-6` and `claude-3-7-sonnet-20250219` are 4.6 and 3.7; a date is no version, and an unknown name is 0. */
function claudeVersion(id: string): number {
  const match = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(id);
  return match ? Number(match[1]) + Number(match[2] ?? 0) / 10 : 0;
}
