import type { RiskTier } from "../risk-tiers.ts";

/** What a call was found to be. */
export interface Verdict {
  tier: RiskTier;
  /** In words, one each; there is at least one where the tier is `confirm_required`, and none otherwise. */
  reasons: readonly string[];
}
