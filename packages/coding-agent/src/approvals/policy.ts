import type { ApprovalPolicy, RuleTexts } from "../config/approval-policies.ts";
import { withoutContained } from "./containment.ts";
import { findMention, isAllowed, type Rule, type RuledCall, withoutAllowed } from "./rules.ts";
import { doubtsOf, toVerdict, type Verdict } from "./verdict.ts";

/** Decides which tool calls may run. A change takes effect with the next call. */
export interface ApprovalRules {
  /** Which calls the user must approve. */
  policy: ApprovalPolicy;
  /** Whether to refuse every call that does more than read, independent of the policy. */
  readOnly: boolean;
  /** The rules of the user. `deny` and `ask` count under every policy. Default: none. */
  rules?: RuleTexts | undefined;
}

/** The rules that count for a call. */
export interface RuleLists {
  deny: readonly Rule[];
  ask: readonly Rule[];
  allow: readonly Rule[];
  /** From the user's answers in this session: they also count for calls about which `ask` has rules. */
  session: { allow: readonly Rule[]; deny: readonly Rule[] };
}

export type Decision =
  | { kind: "allow" }
  /** `rule` is one of the settings; undefined if the user has refused similar calls in this session. */
  | { kind: "deny"; rule: string | undefined }
  | { kind: "ask"; verdict: Verdict };

/** Decides about an assessed call. */
export function decide(call: RuledCall, policy: ApprovalPolicy, { deny, ask, allow, session }: RuleLists): Decision {
  const denied = findMention(deny, call);
  if (denied) return { kind: "deny", rule: denied.text };
  if (findMention(session.deny, call)) return { kind: "deny", rule: undefined };
  const { tier, findings } = call.assessment;
  if (call.leaves !== undefined) {
    const { reasons } = toVerdict(tier, findings);
    return toQuestion({ tier: "confirm_required", reasons: [call.leaves, ...reasons] });
  }
  const hasRisk = findings.some(({ isRisky }) => isRisky);
  if (isAllowed(session.allow, call, hasRisk)) return { kind: "allow" };
  const asked = findMention(ask, call);
  if (asked) {
    const verdict = toVerdict(tier, findings);
    return { kind: "ask", verdict: { ...verdict, reasons: [...verdict.reasons, `is about your rule to ask: ${asked.text}`] } };
  }
  if (policy === "never-ask" || tier === "read") return { kind: "allow" };
  const rules = [...allow, ...session.allow];
  if (policy === "always") return isAllowed(rules, call, hasRisk) ? { kind: "allow" } : toQuestion(toVerdict(tier, findings));
  const left = withoutAllowed(rules, call);
  if (policy === "on-risk") {
    const verdict = toVerdict(tier, call.containment ? withoutContained(left, call.containment) : left);
    return verdict.reasons.length > 0 ? toQuestion(verdict) : { kind: "allow" };
  }
  const verdict = toVerdict(tier, left);
  return left.length > 0 ? toQuestion({ ...verdict, reasons: [...verdict.reasons, ...doubtsOf(left)] }) : { kind: "allow" };
}

function toQuestion(verdict: Verdict): Decision {
  return { kind: "ask", verdict };
}
