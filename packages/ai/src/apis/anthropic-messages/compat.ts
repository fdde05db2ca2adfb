import type { Model } from "../../types.ts";
import type { LevelEfforts } from "../level-efforts.ts";

/** The differences between a model or endpoint and the newest Messages API. Each field can be set in the model's `compat`. */
export interface AnthropicCompat {
  /** `budget`: the request sets a number of thinking tokens. `adaptive`: the request sets an effort, and the model decides. */
  thinking: "budget" | "adaptive";
  /** The strongest effort of an adaptive model. */
  maxEffort: "high" | "xhigh" | "max";
  /** The effort of an adaptive model for each level. Default: by the name of the level. */
  levelEfforts?: LevelEfforts;
  /** Whether `thinking: {type: "disabled"}` is accepted. */
  disableThinking: boolean;
  /** Whether a cache entry may be kept for an hour. */
  longCache: boolean;
}

/** Resolves each field: the model's own setting first, then a default from its name and provider. */
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

/** 4.6 for `claude-opus-4-6`, 3.7 for `claude-3-7-sonnet-20250219` (the date is not a version), 0 for an unknown name. */
function claudeVersion(id: string): number {
  const match = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(id);
  return match ? Number(match[1]) + Number(match[2] ?? 0) / 10 : 0;
}
