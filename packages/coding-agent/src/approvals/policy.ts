import type { ApprovalPolicy } from "../config/approval-policies.ts";
import type { RiskTier } from "../risk-tiers.ts";

export interface ApprovalRules {
  policy: ApprovalPolicy;
  /** Denies everything above `read`, whatever the policy says. */
  readOnly: boolean;
}

export type Decision = "allow" | "ask" | "deny";

/** What happens with a call of that tier. */
export function decide(tier: RiskTier, { policy, readOnly }: ApprovalRules): Decision {
  if (tier === "read") return "allow";
  if (readOnly) return "deny";
  if (policy === "always") return "ask";
  return policy === "on-risk" && tier === "confirm_required" ? "ask" : "allow";
}
