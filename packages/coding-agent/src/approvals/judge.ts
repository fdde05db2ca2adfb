import type { PendingToolCall } from "@pikit/agent";
import type { FileAccess } from "../tools/files/file-access.ts";
import { localFiles } from "../tools/files/local-files.ts";
import { untilAborted } from "../until-aborted.ts";
import type { UserInterface } from "../user-interface.ts";
import { type Answer, Asker } from "./ask.ts";
import { assessTool, isReader, type ToolTiers } from "./assess-tool.ts";
import { type ApprovalRules, decide } from "./policy.ts";
import { createQuestion } from "./question.ts";
import type { Verdict } from "./verdict.ts";

/** The options for decisions. Policy and folder are read for each call, so they may change. */
export interface ApprovalOptions extends ApprovalRules, ToolTiers {
  /** The working folder, absolute. */
  cwd: string;
  user: UserInterface;
  /** The file system for the paths of `write`, `edit` and `bash`. Default: the files of this machine. */
  files?: FileAccess;
  /** Milliseconds after which an unanswered question counts as no. Default: 10 minutes. */
  timeoutMs?: number;
}

/** Decides about tool calls, and asks the user if needed. */
export interface Approvals {
  /** Assesses the risk of a call, independent of the policy. */
  assess(call: Pick<PendingToolCall, "tool" | "params">): Promise<Verdict>;
  /**
   * Checks a call with its final parameters; the last step before it runs.
   *
   * @returns undefined if the call may run, otherwise a text for the model.
   */
  check(call: Pick<PendingToolCall, "tool" | "params">, signal: AbortSignal): Promise<{ refuse: string } | undefined>;
}

type JudgedCall = Pick<PendingToolCall, "tool" | "params">;

/** A question to the user. */
interface Asked {
  verdict: Verdict;
  answer: Promise<Answer>;
}

/** Creates the approvals, which assess calls and ask about them. */
export function createJudge(options: ApprovalOptions): Approvals {
  const asker = new Asker(options.user, options.timeoutMs);
  const assess: Approvals["assess"] = ({ tool, params }) =>
    assessTool(tool, params, { cwd: options.cwd, files: options.files ?? localFiles }, options);
  /** Settles when each earlier call has asked its question or needs none. */
  let earlier: Promise<unknown> = Promise.resolve();

  /** Asks about a call, after the questions of earlier calls, because some calls take longer to assess. undefined if the call may run. */
  async function putQuestion(call: JudgedCall, turn: Promise<unknown>, signal: AbortSignal): Promise<Asked | undefined> {
    const verdict = await assess(call);
    if (decide(verdict.tier, options) === "allow") return undefined;
    await untilAborted(turn, signal).catch(() => undefined);
    return { verdict, answer: asker.ask(createQuestion(call, verdict), signal) };
  }

  return {
    assess,
    async check(call, signal) {
      if (isReader(call.tool, options)) return undefined;
      if (options.readOnly) return { refuse: explainReadOnly(call.tool.name) };
      const question = putQuestion(call, earlier, signal);
      earlier = Promise.allSettled([earlier, question]);
      const asked = await question;
      if (!asked) return undefined;
      const answer = await asked.answer;
      return answer === "yes" ? undefined : { refuse: explainRefusal(answer, asked.verdict) };
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
  no: "the user was asked and declined. Do not try the same in another way; continue without it, or ask what the user wants instead",
  timeout: "the user was asked and did not answer in time, which counts as no. Continue without it, or say what is needed",
  absent: "it needs the user's approval, but there is no user to ask. Find a way without it, or say what is needed",
  aborted: "the run was aborted while the user was asked",
};

function explainRefusal(answer: Exclude<Answer, "yes">, { reasons }: Verdict): string {
  const why = reasons.length > 0 ? ` The reason for asking: it ${reasons.join("; it ")}.` : "";
  return `Not run: ${answers[answer]}.${why}`;
}
