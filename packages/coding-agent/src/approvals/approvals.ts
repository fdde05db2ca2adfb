import { hasStrictRules } from "../config/approval-policies.ts";
import { reasonToLeave } from "./containment.ts";
import type { ApprovalOptions, Approvals } from "./judge.ts";

/**
 * Creates the approvals of a session. The sessions of sub-tasks share them, so that policy, folder and user are the same and questions do not
 * overlap.
 */
export function createApprovals(options: ApprovalOptions): Approvals {
  let judge: Promise<Approvals> | undefined;
  // Loaded with the first call to check.
  const load = () => {
    judge ??= import("./judge.ts").then(({ createJudge }) => createJudge(options));
    return judge;
  };
  return {
    assess: async (call) => (await load()).assess(call),
    async check(call, signal) {
      const isOpen = options.policy === "never-ask" && !options.readOnly && !hasStrictRules(options.rules);
      if (isOpen && (!options.containment || reasonToLeave(call) === undefined)) return undefined;
      return (await load()).check(call, signal);
    },
  };
}
