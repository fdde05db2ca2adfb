import type { PendingToolCall } from "@pikit/agent";
import { hasStrictRules, type RuleTexts } from "../config/approval-policies.ts";
import type { FileAccess } from "../tools/files/file-access.ts";
import { localFiles } from "../tools/files/local-files.ts";
import { untilAborted } from "../until-aborted.ts";
import type { ApprovalQuestion, UserInterface } from "../user-interface.ts";
import { type Answer, type AnswerMemory, Asker, type QuestionEnd } from "./ask.ts";
import { assessTool, isReader, type ToolTiers } from "./assess-tool.ts";
import { type Containment, reasonToLeave } from "./containment.ts";
import { mcpNameOf } from "./mcp-name.ts";
import { type ApprovalRules, type Decision, decide, type RuleLists } from "./policy.ts";
import { createQuestion, type JudgedCall } from "./question.ts";
import { Rule, type RuledCall } from "./rules.ts";
import { SessionRules } from "./session-rules.ts";
import { suggestRule } from "./suggest-rule.ts";
import { toVerdict, type Verdict } from "./verdict.ts";

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
  /** Keeps rules for later sessions. Default: questions do not offer that. */
  ruleFile?: RuleFile | undefined;
  /** The sandbox of commands. Default: none. */
  containment?: Containment | undefined;
  /** Called when a question is shown to the user; its result is called with the answer. Both must not throw. Default: nothing. */
  onQuestion?(question: ApprovalQuestion): QuestionEnd | undefined;
}

/** The file with the rules of the user. */
interface RuleFile {
  /** Its path, as questions show it. */
  path: string;
  /** Adds a rule that allows or refuses calls. */
  add(list: "allow" | "deny", rule: string): Promise<void>;
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

/** A question to the user, or a refusal without one. */
type Asked = { verdict: Verdict; answer: Promise<Answer> } | { refuse: string };

/** Creates the approvals, which assess calls and ask about them. */
export function createJudge(options: ApprovalOptions): Approvals {
  return new Judge(options);
}

class Judge implements Approvals {
  readonly #options: ApprovalOptions;
  readonly #asker: Asker;
  readonly #rules = new ParsedRules();
  readonly #allowed = new SessionRules();
  readonly #refused = new SessionRules();
  /** Rules for later sessions that this one has written. */
  readonly #kept: { allow: Rule[]; deny: Rule[] } = { allow: [], deny: [] };
  /** Settles when each earlier call has asked its question or needs none. */
  #earlier: Promise<unknown> = Promise.resolve();

  constructor(options: ApprovalOptions) {
    this.#options = options;
    this.#asker = new Asker(options.user, options.timeoutMs, options.onQuestion);
  }

  async assess(call: Pick<PendingToolCall, "tool" | "params">): Promise<Verdict> {
    const { tier, findings } = (await this.#prepare(call)).assessment;
    return toVerdict(tier, findings);
  }

  async check(call: JudgedCall, signal: AbortSignal): Promise<{ refuse: string } | undefined> {
    const options = this.#options;
    const isReading = isReader(call.tool, options);
    if (isReading && !hasStrictRules(options.rules)) return undefined;
    if (!isReading && options.readOnly) return { refuse: explainReadOnly(call.tool.name) };
    const question = this.#putQuestion(call, this.#earlier, signal);
    this.#earlier = Promise.allSettled([this.#earlier, question]);
    const asked = await question;
    if (!asked || "refuse" in asked) return asked;
    const answer = await asked.answer;
    return isYes(answer) ? undefined : { refuse: explainRefusal(answer, asked.verdict) };
  }

  async #prepare({ tool, params }: Pick<PendingToolCall, "tool" | "params">): Promise<RuledCall> {
    const options = this.#options;
    const { cwd, files = localFiles } = options;
    const assessment = await assessTool(tool, params, { cwd, files }, options);
    const folder = await files.realpath(cwd).catch(() => cwd);
    const isBuiltIn = options.isBuiltIn(tool);
    const sandbox = isBuiltIn && (await options.containment?.isActive()) ? options.containment : undefined;
    const reason = sandbox && reasonToLeave({ tool, params });
    const leaves = reason === undefined ? undefined : `runs outside of the sandbox, with all your rights and keys: ${reason}`;
    const containment = leaves === undefined ? sandbox : undefined;
    return { name: tool.name, isBuiltIn, mcpName: mcpNameOf(tool), params, folder, assessment, leaves, containment };
  }

  async #decide(call: RuledCall): Promise<Decision> {
    const { rules, sessionId, policy } = this.#options;
    const kept = this.#kept;
    const { deny, ask, allow } = await this.#rules.of(rules);
    const session = { allow: this.#allowed.of(sessionId), deny: this.#refused.of(sessionId) };
    return decide(call, policy, { deny: [...deny, ...kept.deny], ask, allow: [...allow, ...kept.allow], session });
  }

  /** Asks about a call, after the questions of earlier calls, because some calls take longer to assess. undefined if the call may run. */
  async #putQuestion(call: JudgedCall, turn: Promise<unknown>, signal: AbortSignal): Promise<Asked | undefined> {
    const ruled = await this.#prepare(call);
    const decision = await this.#decide(ruled);
    if (decision.kind === "allow") return undefined;
    if (decision.kind === "deny") return toDenied(decision.rule);
    const { verdict } = decision;
    // Each command that leaves the sandbox is asked about by itself.
    const suggested = ruled.leaves === undefined && this.#allowed.hasRoom && this.#refused.hasRoom ? suggestRule(ruled) : undefined;
    const memory = this.#remember(ruled, verdict, suggested);
    await untilAborted(turn, signal).catch(() => undefined);
    const question = createQuestion(call, verdict, { rule: suggested, ruleFile: this.#options.ruleFile?.path });
    return { verdict, answer: this.#asker.ask(question, signal, memory) };
  }

  #remember(call: RuledCall, verdict: Verdict, rule: string | undefined): AnswerMemory {
    const { sessionId } = this.#options;
    return {
      recall: async () => {
        const { kind } = await this.#decide(call);
        if (kind === "ask") return undefined;
        return kind === "allow" ? "yes" : "no";
      },
      remember: async (answer) => {
        if (rule === undefined || sessionId !== this.#options.sessionId) return;
        if (answer === "always" || answer === "forbid") await this.#keep(answer === "always" ? "allow" : "deny", rule);
        else await (answer === "session" ? this.#allowed : this.#refused).add(rule, sessionId, verdict.tier === "confirm_required");
      },
    };
  }

  /** Writes a rule for later sessions. If that fails, it counts in this one, and the user gets a notification. */
  async #keep(list: "allow" | "deny", rule: string): Promise<void> {
    const { ruleFile, user } = this.#options;
    this.#kept[list].push(await Rule.parse(rule));
    await ruleFile?.add(list, rule).catch((error: Error) => user.notify(error.message, "error"));
  }
}

/** The rules of the user; they are parsed again when they have changed. */
class ParsedRules {
  #texts: RuleTexts | undefined;
  #lists: Promise<Omit<RuleLists, "session">> | undefined;

  of(texts: RuleTexts | undefined): Promise<Omit<RuleLists, "session">> {
    if (this.#lists === undefined || texts !== this.#texts) {
      this.#texts = texts;
      const parse = (list: readonly string[] = []) => Promise.all(list.map((text) => Rule.parse(text)));
      this.#lists = Promise.all([parse(texts?.deny), parse(texts?.ask), parse(texts?.allow)]).then(([deny, ask, allow]) => {
        return { deny, ask, allow };
      });
    }
    return this.#lists;
  }
}

function toDenied(rule: string | undefined): { refuse: string } {
  if (rule === undefined) return { refuse: explainRefusal({ kind: "never" }, { reasons: [] }) };
  return {
    refuse: `Not run: the user's rules refuse it (deny: ${rule}). Do not try the same in another way; continue without it, or say what is needed.`,
  };
}

function explainReadOnly(name: string): string {
  return (
    `Not run: this session is read-only, and ${name} could change something. Use tools that only look (read, grep, find, ls), and ` +
    "tell the user in words what you would change."
  );
}

type Refusal = Exclude<Answer["kind"], "yes" | "session" | "always">;

function isYes({ kind }: Answer): boolean {
  return kind === "yes" || kind === "session" || kind === "always";
}

const refusals: Record<Refusal, string> = {
  never:
    "the user was asked and declined, also for similar calls in this session. Continue without it, or ask what the user wants instead",
  forbid:
    "the user was asked and declined, also for similar calls in later sessions. Continue without it, or ask what the user wants instead",
  no: "the user was asked and declined. Do not try the same in another way; continue without it, or ask what the user wants instead",
  timeout: "the user was asked and did not answer in time, which counts as no. Continue without it, or say what is needed",
  absent: "it needs the user's approval, but there is no user to ask. Find a way without it, or say what is needed",
  aborted: "the run was aborted while the user was asked",
};

function explainRefusal({ kind, reason }: Answer, { reasons }: Pick<Verdict, "reasons">): string {
  if (reason !== undefined) return `Not run: the user was asked and declined, with this reason: ${reason}`;
  const why = reasons.length > 0 ? ` The reason for asking: it ${reasons.join("; it ")}.` : "";
  return `Not run: ${refusals[kind as Refusal]}.${why}`;
}
