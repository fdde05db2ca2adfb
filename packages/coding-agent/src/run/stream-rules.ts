import type { AgentMessage } from "@pikit/agent";
import type { AssistantMessage, AssistantMessageEvent } from "@pikit/ai";
import type { RuleEvent } from "../protocol/events.ts";
import type { CustomMessage } from "../protocol/messages.ts";
import { AnswerScanner } from "./stream-rules/answer-scanner.ts";
import { PatternSet } from "./stream-rules/pattern-set.ts";
import type { StreamRule } from "./stream-rules/rule.ts";
import { createRuleMessage, type RuleMessageDetails, ruleMessageType, toRuleInfo } from "./stream-rules/rule-message.ts";

export interface StreamRulesOptions {
  emit(event: RuleEvent): void | Promise<void>;
}

/**
 * Makes rules ready for the answers of a session.
 *
 * @throws {SessionError} `invalid_input` when a trigger cannot be used; the message names the rule.
 */
export async function createStreamRules(rules: readonly StreamRule[], options: StreamRulesOptions): Promise<StreamRules> {
  const patterns = await PatternSet.compile(rules.map(({ name, trigger }) => ({ name, pattern: trigger })));
  return new StreamRules(rules, patterns, options);
}

/**
 * Watches answers while they stream, stops one that breaks a rule, and has it asked for again with the rule's text. Each rule does so once
 * in a session, or again after a number of turns; an answer that is asked for again can only break other rules, so this comes to an end.
 */
export class StreamRules {
  readonly #rules: readonly StreamRule[];
  readonly #patterns: PatternSet;
  readonly #options: StreamRulesOptions;
  #scanner: AnswerScanner;
  /** Turns that have ended well. */
  #turns = 0;
  /** In which turn each rule last stopped an answer, by name. */
  readonly #firedAt = new Map<string, number>();
  #stopped: { answer: AssistantMessage; rules: readonly StreamRule[] } | undefined;

  constructor(rules: readonly StreamRule[], patterns: PatternSet, options: StreamRulesOptions) {
    this.#rules = rules;
    this.#patterns = patterns;
    this.#options = options;
    this.#scanner = new AnswerScanner(patterns);
  }

  /** For the loop's `watchAnswer`: whether the answer breaks a rule with this event, and is to be stopped. */
  watch(event: AssistantMessageEvent): boolean {
    if (event.type === "done") this.#turns += 1;
    if (event.type === "done" || event.type === "error") return false;
    if (event.type === "start") this.#scanner = new AnswerScanner(this.#patterns);
    const rules = [...this.#scanner.see(event)]
      .sort((a, b) => a - b)
      .flatMap((index) => this.#rules[index] ?? [])
      .filter((rule) => this.#mayFire(rule));
    if (rules.length === 0) return false;
    this.#stopped = { answer: event.partial, rules };
    return true;
  }

  /** Whether it was a rule that stopped this answer. */
  hasStopped(answer: AssistantMessage): boolean {
    return this.#stopped?.answer === answer;
  }

  /**
   * For the loop's `shouldRetry`: tells of the rules that the answer broke, and returns the message to ask again with; undefined when it
   * failed for another reason.
   */
  async correct(answer: AssistantMessage): Promise<CustomMessage | undefined> {
    if (this.#stopped?.answer !== answer) return undefined;
    const { rules } = this.#stopped;
    this.#stopped = undefined;
    for (const { name } of rules) this.#firedAt.set(name, this.#turns);
    await this.#options.emit({ type: "ttsr_triggered", rules: rules.map(toRuleInfo) });
    return createRuleMessage(rules, answer);
  }

  /** Goes over to another conversation: rules whose text is in it have done their work, all others are ready again. */
  restore(messages: readonly AgentMessage[]): void {
    this.#turns = 0;
    this.#firedAt.clear();
    for (const message of messages) for (const name of ruleNamesIn(message)) this.#firedAt.set(name, 0);
  }

  #mayFire({ name, repeatMode, repeatGap }: StreamRule): boolean {
    const firedAt = this.#firedAt.get(name);
    if (firedAt === undefined) return true;
    return repeatMode === "after-gap" && this.#turns - firedAt >= Math.max(1, repeatGap);
  }
}

/** The rules that a message carries. Its details come from a file, so nothing is taken for granted. */
function ruleNamesIn(message: AgentMessage): string[] {
  if (message.role !== "custom" || message.customType !== ruleMessageType) return [];
  const { rules } = (message.details ?? {}) as Partial<RuleMessageDetails>;
  return Array.isArray(rules) ? rules.map((rule) => String(rule?.name)) : [];
}
