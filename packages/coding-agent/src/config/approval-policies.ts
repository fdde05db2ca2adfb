/**
 * Which calls need a person's yes: none (`never-ask`), those that are `confirm_required` (`on-risk`), or everything above `read`
 * (`always`).
 */
export const approvalPolicies = ["never-ask", "on-risk", "always"] as const;

export type ApprovalPolicy = (typeof approvalPolicies)[number];
