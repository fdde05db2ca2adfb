import type { PendingToolCall } from "@pikit/agent";
import type { FileAccess } from "../tools/files/file-access.ts";
import type { UserInterface } from "../user-interface.ts";
import type { ToolTiers } from "./assess-tool.ts";
import type { ApprovalRules } from "./policy.ts";
import type { Verdict } from "./verdict.ts";

/** What calls are judged by. Policy and folder are looked up for each call, so they may change. */
export interface ApprovalOptions extends ApprovalRules, ToolTiers {
  /** The working folder, absolute. */
  cwd: string;
  user: UserInterface;
  /** Where the paths of `write`, `edit` and `bash` lead. Default: the files of this machine. */
  files?: FileAccess;
  /** Milliseconds until a question counts as answered with no. Default: 10 minutes. */
  timeoutMs?: number;
}

/** Decides about tool calls, and asks where that is needed. */
export interface Approvals {
  /** What the call is, whatever the policy says about that. */
  assess(call: Pick<PendingToolCall, "tool" | "params">): Promise<Verdict>;
  /**
   * The last step before a call runs, with its final parameters.
   *
   * @returns undefined when it may run, else a text for the model.
   */
  check(call: Pick<PendingToolCall, "tool" | "params">, signal: AbortSignal): Promise<{ refuse: string } | undefined>;
}

/**
 * Approvals for one session. A session that works for another one shares them, so that policy, folder and user are the same and
 * questions do not overlap.
 */
export function createApprovals(options: ApprovalOptions): Approvals {
  let judge: Promise<Approvals> | undefined;
  // Loaded with the first call that is looked at.
  const load = () => {
    judge ??= import("./judge.ts").then(({ createJudge }) => createJudge(options));
    return judge;
  };
  return {
    assess: async (call) => (await load()).assess(call),
    async check(call, signal) {
      if (options.policy === "never-ask" && !options.readOnly) return undefined;
      return (await load()).check(call, signal);
    },
  };
}
