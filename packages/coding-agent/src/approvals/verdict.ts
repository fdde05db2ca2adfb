import type { RiskTier } from "../risk-tiers.ts";

/** The assessment of a call. */
export interface Verdict {
  tier: RiskTier;
  /** One text per reason; at least one if the tier is `confirm_required`, otherwise none. */
  reasons: readonly string[];
}
