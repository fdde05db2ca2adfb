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
 * Compiles the rules of a session.
 *
 * @throws {SessionError} `invalid_input` when a trigger is invalid; the message names the rule.
 */
export async function createStreamRules(rules: readonly StreamRule[], options: StreamRulesOptions): Promise<StreamRules> {
  const patterns = await PatternSet.compile(rules.map(({ name, trigger }) => ({ name, pattern: trigger })));
  return new StreamRules(rules, patterns, options);
}

/**
 * Watches answers while they stream. An answer that breaks a rule is stopped, and the model is called again with the rule's text. Each
 * rule fires once in a session, or again after a number of turns. So a repeated answer can break only other rules, and repetition ends.
 */
export class StreamRules {
  readonly #rules: readonly StreamRule[];
  readonly #patterns: PatternSet;
  readonly #options: StreamRulesOptions;
  #scanner: AnswerScanner;
  /** The number of complete answers. */
  #turns = 0;
  /** The turn in which each rule last fired, by the rule's name. */
  readonly #firedAt = new Map<string, number>();
  #stopped: { answer: AssistantMessage; rules: readonly StreamRule[] } | undefined;

  constructor(rules: readonly StreamRule[], patterns: PatternSet, options: StreamRulesOptions) {
    this.#rules = rules;
    this.#patterns = patterns;
    this.#options = options;
    this.#scanner = new AnswerScanner(patterns);
  }

  /** For the loop's `watchAnswer`: whether this event breaks a rule, so that the answer must be stopped. */
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

  /** Whether a rule stopped this answer. */
  hasStopped(answer: AssistantMessage): boolean {
    return this.#stopped?.answer === answer;
  }

  /**
   * For the loop's `shouldRetry`: reports the rules that the answer broke, and returns the message for the next attempt; undefined if the
   * answer failed for another reason.
   */
  async correct(answer: AssistantMessage): Promise<CustomMessage | undefined> {
    if (this.#stopped?.answer !== answer) return undefined;
    const { rules } = this.#stopped;
    this.#stopped = undefined;
    for (const { name } of rules) this.#firedAt.set(name, this.#turns);
    await this.#options.emit({ type: "ttsr_triggered", rules: rules.map(toRuleInfo) });
    return createRuleMessage(rules, answer);
  }

  /** Switches to another conversation. Rules whose text it contains have fired in it; all others have not. */
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

/** The names of the rules in a message. Its details come from a file, so their shape is checked. */
function ruleNamesIn(message: AgentMessage): string[] {
  if (message.role !== "custom" || message.customType !== ruleMessageType) return [];
  const { rules } = (message.details ?? {}) as Partial<RuleMessageDetails>;
  return Array.isArray(rules) ? rules.map((rule) => String(rule?.name)) : [];
}
