import type { RiskTier } from "../risk-tiers.ts";
import type { Finding, LineFindings } from "./findings.ts";

/** The risk of a call. */
export interface Verdict {
  tier: RiskTier;
  /** One text per reason; at least one if the tier is `confirm_required`, otherwise none. */
  reasons: readonly string[];
}

/** The assessment of a call, before the rules of the user. */
export interface Assessment extends Partial<Pick<LineFindings, "parts" | "touched">> {
  /** The tier of the tool. */
  tier: RiskTier;
  findings: readonly Finding[];
}

const maxReasons = 8;

/** The verdict on a call, with the findings that count. */
export function toVerdict(tier: RiskTier, findings: readonly Finding[]): Verdict {
  const all = [...new Set(findings.filter(({ isRisky }) => isRisky).map(({ reason }) => reason))];
  const more = all.length > maxReasons ? [`has ${all.length - maxReasons} more effects of this kind`] : [];
  const reasons = [...all.slice(0, maxReasons), ...more];
  return { tier: reasons.length > 0 ? "confirm_required" : tier, reasons };
}

/** The reasons for which only `unless-safe` asks. */
export function doubtsOf(findings: readonly Finding[]): string[] {
  return [...new Set(findings.filter(({ isRisky }) => !isRisky).map(({ reason }) => reason))].slice(0, maxReasons);
}
