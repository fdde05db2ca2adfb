import type { PendingToolCall } from "@pikit/agent";
import type { FileAccess } from "../tools/files/file-access.ts";
import { localFiles } from "../tools/files/local-files.ts";
import { untilAborted } from "../until-aborted.ts";
import type { UserInterface } from "../user-interface.ts";
import { type Answer, type AnswerMemory, Asker } from "./ask.ts";
import { assessTool, isReader, type ToolTiers } from "./assess-tool.ts";
import { type ApprovalRules, decide } from "./policy.ts";
import { createQuestion, type JudgedCall } from "./question.ts";
import { SessionRules, sessionRuleOf } from "./session-rules.ts";
import type { Verdict } from "./verdict.ts";

/** The options for decisions. Policy and folder are read for each call, so they may change. */
export interface ApprovalOptions extends ApprovalRules, ToolTiers {
  /** The working folder, absolute. */
  cwd: string;
  user: UserInterface;
  /** The id of the session: an answer "for this session" holds as long as it is the same. Default: as long as the approvals exist. */
  sessionId?: string;
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
  check(call: JudgedCall, signal: AbortSignal): Promise<{ refuse: string } | undefined>;
}

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
  const allowed = new SessionRules();
  const refused = new SessionRules();

  /** Asks about a call, after the questions of earlier calls, because some calls take longer to assess. undefined if the call may run. */
  async function putQuestion(call: JudgedCall, turn: Promise<unknown>, signal: AbortSignal): Promise<Asked | undefined> {
    const verdict = await assess(call);
    if (decide(verdict.tier, options) === "allow") return undefined;
    const rule = sessionRuleOf(call, verdict, options.isBuiltIn(call.tool));
    const { sessionId } = options;
    const memory: AnswerMemory = {
      get answer() {
        if (refused.has(rule, options.sessionId)) return "no";
        return allowed.has(rule, options.sessionId) ? "yes" : undefined;
      },
      remember(answer) {
        if (rule && sessionId === options.sessionId) (answer === "yes" ? allowed : refused).add(rule, sessionId);
      },
    };
    if (memory.answer === "yes") return undefined;
    await untilAborted(turn, signal).catch(() => undefined);
    const question = createQuestion(call, verdict, allowed.hasRoom && refused.hasRoom ? rule?.scope : undefined);
    const answer = asker.ask(question, signal, memory);
    return { verdict, answer };
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
      return isYes(answer) ? undefined : { refuse: explainRefusal(answer, asked.verdict) };
    },
  };
}

function explainReadOnly(name: string): string {
  return (
    `Not run: this session is read-only, and ${name} could change something. Use tools that only look (read, grep, find, ls), and ` +
    "tell the user in words what you would change."
  );
}

type Refusal = Exclude<Answer["kind"], "yes" | "session">;

function isYes({ kind }: Answer): boolean {
  return kind === "yes" || kind === "session";
}

const refusals: Record<Refusal, string> = {
  never:
    "the user was asked and declined, also for similar calls in this session. Continue without it, or ask what the user wants instead",
  no: "the user was asked and declined. Do not try the same in another way; continue without it, or ask what the user wants instead",
  timeout: "the user was asked and did not answer in time, which counts as no. Continue without it, or say what is needed",
  absent: "it needs the user's approval, but there is no user to ask. Find a way without it, or say what is needed",
  aborted: "the run was aborted while the user was asked",
};

function explainRefusal({ kind, reason }: Answer, { reasons }: Verdict): string {
  if (reason !== undefined) return `Not run: the user was asked and declined, with this reason: ${reason}`;
  const why = reasons.length > 0 ? ` The reason for asking: it ${reasons.join("; it ")}.` : "";
  return `Not run: ${refusals[kind as Refusal]}.${why}`;
}
