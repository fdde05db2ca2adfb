import { shortHash } from "../short-hash.ts";
import type { Api, AssistantMessage, Model } from "../types.ts";

/**
 * The tool-call ids that a wire accepts.
 *
 * - `any`: all ids, for example because the adapter converts them itself
 * - `safe64`: 1 to 64 of `A-Z a-z 0-9 _ -` (Anthropic, Gemini)
 * - `short40`: at most 40 such characters; the model's own ids are never rewritten (Chat Completions)
 * - `alphanumeric9`: exactly 9 letters and digits (Mistral)
 */
export type ToolCallIdRule = "any" | "safe64" | "short40" | "alphanumeric9";

const rulesByApi: Readonly<Partial<Record<Api, ToolCallIdRule>>> = {
  "anthropic-messages": "safe64",
  "google-generative-ai": "safe64",
  "openai-completions": "short40",
};

/** The default rule of an api; its adapter may use another one. */
export function toolCallIdRuleOf(api: Api): ToolCallIdRule {
  return Object.hasOwn(rulesByApi, api) ? (rulesByApi[api] ?? "any") : "any";
}

/**
 * Assigns ids to the tool calls of one request. Different calls get different ids, and a valid id stays unchanged. An id depends only on
 * the messages before it, so it is the same in every later request of the conversation.
 */
export class ToolCallIds {
  readonly #rule: ToolCallIdRule;
  readonly #model: Model;
  /** The ids of the calls before those of this object. */
  readonly #before: ToolCallIds | undefined;
  readonly #used = new Set<string>();
  /** How often each id occurred, so that the suffix for a repeated id is found in constant time. */
  readonly #counts = new Map<string, number>();

  constructor(rule: ToolCallIdRule, model: Model, before?: ToolCallIds) {
    this.#rule = rule;
    this.#model = model;
    this.#before = before;
  }

  /** Continues after the calls so far, and leaves this object as it is. */
  fork(): ToolCallIds {
    return new ToolCallIds(this.#rule, this.#model, this);
  }

  /** The id to send for a call of `message`. Must be called once per call, in order. */
  assign(id: string, message: AssistantMessage): string {
    if (this.#rule === "any") return id;
    const { provider, api, id: modelId } = this.#model;
    const isOwn = message.provider === provider && message.api === api && message.model === modelId;
    let sent = rewriteToolCallId(id, this.#rule, isOwn);
    let count = this.#countOf(id);
    // Some servers restart their ids in each answer, and strict servers reject a repeated id.
    while (this.#isUsed(sent)) {
      count += 1;
      sent = fit(id, `${id}#${count}`, this.#rule);
    }
    this.#counts.set(id, count);
    this.#used.add(sent);
    return sent;
  }

  #countOf(id: string): number {
    return this.#counts.get(id) ?? (this.#before === undefined ? 1 : this.#before.#countOf(id));
  }

  #isUsed(id: string): boolean {
    return this.#used.has(id) || (this.#before ? this.#before.#isUsed(id) : false);
  }
}

/**
 * Returns `id` if the rule allows it, otherwise its readable beginning with a hash. Different ids stay different.
 *
 * @internal Exported for its tests.
 */
export function rewriteToolCallId(id: string, rule: ToolCallIdRule, isOwn = false): string {
  switch (rule) {
    case "any":
      return id;
    case "safe64":
      return /^[\w-]{1,64}$/.test(id) ? id : fit(id, id, rule);
    case "short40":
      return isOwn || /^[\w-]{1,40}$/.test(id) ? id : fit(id, id, rule);
    case "alphanumeric9":
      return /^[A-Za-z0-9]{9}$/.test(id) ? id : fit(id, id, rule);
  }
}

function fit(readable: string, hashed: string, rule: ToolCallIdRule): string {
  if (rule === "alphanumeric9") return shortHash(hashed, 9);
  const hash = shortHash(hashed);
  const start = readable.replace(/[^\w-]+/g, "_").slice(0, (rule === "short40" ? 40 : 64) - hash.length - 1);
  return `${start.replace(/_+$/, "")}_${hash}`;
}
