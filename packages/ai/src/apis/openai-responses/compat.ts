import type { Model } from "../../types.ts";
import { hostOf } from "../../url.ts";
import type { LevelEfforts } from "../level-efforts.ts";
import { isAzure } from "../openai-azure.ts";
import { type Effort, openaiEfforts } from "../openai-efforts.ts";

/** The differences between a model or endpoint and the Responses API. Each field can be set in the model's `compat`. */
export interface ResponsesCompat {
  /** The efforts that the model supports, weakest first. A thinking level maps to the nearest one. */
  efforts: readonly Effort[];
  /** The effort for each level, which takes precedence over `efforts`. */
  levelEfforts?: LevelEfforts;
  /** Whether `prompt_cache_key` is understood. */
  promptCacheKey: boolean;
  /** Whether `prompt_cache_retention: "24h"` is understood. */
  longCache: boolean;
  /** Values for the request field `include`, in addition to ours. */
  include: readonly string[];
  /** The value of the request field `service_tier`, such as `flex` or `priority`. */
  serviceTier?: string | undefined;
}

/** Resolves each field: the model's own setting first, then a default from its name and endpoint. */
export function resolveCompat(model: Model): ResponsesCompat {
  const isOpenAI = model.provider === "openai" || hostOf(model.baseUrl) === "api.openai.com";
  const fromName: ResponsesCompat = {
    efforts: openaiEfforts(model.id),
    promptCacheKey: isOpenAI || isAzure(model),
    longCache: isOpenAI,
    include: [],
  };
  return { ...fromName, ...(model.compat as Partial<ResponsesCompat> | undefined) };
}
