/**
 * The calls that need the user's approval: none (`never-ask`), those with `confirm_required` (`on-risk`), those that are not known to only read
 * or to write inside the working folder (`unless-safe`), or all above `read` (`always`).
 */
export const approvalPolicies = ["never-ask", "on-risk", "unless-safe", "always"] as const;

export type ApprovalPolicy = (typeof approvalPolicies)[number];

/** Rules of the user as texts, such as `bash(npm test:*)`. Refusals count first, then questions. */
export interface RuleTexts {
  deny?: readonly string[];
  ask?: readonly string[];
  allow?: readonly string[];
}

/** Whether there are rules that count under every policy. */
export function hasStrictRules({ deny = [], ask = [] }: RuleTexts = {}): boolean {
  return deny.length > 0 || ask.length > 0;
}
