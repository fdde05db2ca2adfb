import type { Model } from "../../types.ts";
import { hostOf } from "../../url.ts";
import { isAzure } from "../openai-azure.ts";
import { type Effort, openaiEfforts } from "../openai-efforts.ts";

/** How a model or endpoint departs from the Responses API. Each field can be set in the model's `compat`. */
export interface ResponsesCompat {
  /** The efforts that the model knows, weakest first. A level that is not among them becomes the nearest one. */
  efforts: readonly Effort[];
  /** Whether `prompt_cache_key` is understood. */
  promptCacheKey: boolean;
  /** Whether the cache can be asked to keep a prompt for a day. */
  longCache: boolean;
  /** Asked for as `include`, besides what we need ourselves. */
  include: readonly string[];
  /** Asked for as `service_tier`, such as `flex` or `priority`. */
  serviceTier?: string | undefined;
}

/** Resolves each field by itself: the model's own setting, else what its name and its endpoint tell. */
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
