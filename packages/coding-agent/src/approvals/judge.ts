import { localFiles } from "../tools/local-files.ts";
import type { ApprovalOptions, Approvals } from "./approvals.ts";
import { type Answer, Asker } from "./ask.ts";
import { assessTool, isReader } from "./assess-tool.ts";
import { decide } from "./policy.ts";
import { createQuestion } from "./question.ts";
import type { Verdict } from "./risk.ts";

/** Judges calls and asks about them. */
export function createJudge(options: ApprovalOptions): Approvals {
  const asker = new Asker(options.user, options.timeoutMs);
  const assess: Approvals["assess"] = ({ tool, params }) =>
    assessTool(tool, params, { cwd: options.cwd, files: options.files ?? localFiles }, options);
  return {
    assess,
    async check(call, signal) {
      const { policy, readOnly } = options;
      if (isReader(call.tool, options)) return undefined;
      if (readOnly) return { refuse: explainReadOnly(call.tool.name) };
      const verdict = await assess(call);
      if (decide(verdict.tier, { policy, readOnly }) === "allow") return undefined;
      const answer = await asker.ask(createQuestion(call, verdict), signal);
      return answer === "yes" ? undefined : { refuse: explainRefusal(answer, verdict) };
    },
  };
}

function explainReadOnly(name: string): string {
  return (
    `Not run: this session is read-only, and ${name} could change something. Use tools that only look (read, grep, find, ls), and ` +
    "tell the user in words what you would change."
  );
}

const answers: Record<Exclude<Answer, "yes">, string> = {
  no: "the user was asked and declined. Do not try the same in another way; go on without it, or ask what the user wants instead",
  timeout: "the user was asked and did not answer in time, which counts as no. Go on without it, or say what is needed",
  absent: "it needs the user's approval, and nobody is there to give it. Find a way without it, or say what is needed",
  aborted: "the run was aborted while the user was asked",
};

function explainRefusal(answer: Exclude<Answer, "yes">, { reasons }: Verdict): string {
  const why = reasons.length > 0 ? ` The reason for asking: it ${reasons.join("; it ")}.` : "";
  return `Not run: ${answers[answer]}.${why}`;
}
