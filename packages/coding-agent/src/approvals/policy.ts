import type { RiskTier } from "./risk.ts";

/**
 * Which calls need a person's yes: none (`never-ask`), those that are `confirm_required` (`on-risk`), or everything above `read`
 * (`always`).
 */
export const approvalPolicies = ["never-ask", "on-risk", "always"] as const;

export type ApprovalPolicy = (typeof approvalPolicies)[number];

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
