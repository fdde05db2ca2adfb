import type { ApprovalPolicy } from "../config/approval-policies.ts";
import type { RiskTier } from "../risk-tiers.ts";

/** Decides which tool calls may run. A change takes effect with the next call. */
export interface ApprovalRules {
  /** Which calls the user must approve. */
  policy: ApprovalPolicy;
  /** Whether to refuse every call that does more than read, independent of the policy. */
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
