/**
 * The calls that need the user's approval: none (`never-ask`), those with `confirm_required` (`on-risk`), or all above `read` (`always`).
 */
export const approvalPolicies = ["never-ask", "on-risk", "always"] as const;

export type ApprovalPolicy = (typeof approvalPolicies)[number];
