import type { ApprovalPolicy } from "../config/approval-policies.ts";
import type { RiskTier } from "../risk-tiers.ts";

export interface ApprovalRules {
  policy: ApprovalPolicy;
  /** Whether to deny all tiers above `read`, independent of the policy. */
  readOnly: boolean;
}

export type Decision = "allow" | "ask" | "deny";

/** Decides about a call of a tier. */
export function decide(tier: RiskTier, { policy, readOnly }: ApprovalRules): Decision {
  if (tier === "read") return "allow";
  if (readOnly) return "deny";
  if (policy === "always") return "ask";
  return policy === "on-risk" && tier === "confirm_required" ? "ask" : "allow";
}
