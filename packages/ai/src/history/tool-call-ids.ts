import { shortHash } from "../short-hash.ts";
import type { Api, AssistantMessage, Model } from "../types.ts";

/**
 * Which tool-call ids a wire takes.
 *
 * - `any`: all of them, such as those that an adapter takes apart itself
 * - `safe64`: 1 to 64 of `A-Z a-z 0-9 _ -` (Anthropic, Gemini)
 * - `short40`: at most 40 such characters; what the very model said is never questioned (Chat Completions)
 * - `alphanumeric9`: exactly 9 letters and digits (Mistral)
 */
export type ToolCallIdRule = "any" | "safe64" | "short40" | "alphanumeric9";

const rulesByApi: Readonly<Partial<Record<Api, ToolCallIdRule>>> = {
  "anthropic-messages": "safe64",
  "google-generative-ai": "safe64",
  "openai-completions": "short40",
};

/** The rule of an api, where its adapter names no other. */
export function toolCallIdRuleOf(api: Api): ToolCallIdRule {
  return Object.hasOwn(rulesByApi, api) ? (rulesByApi[api] ?? "any") : "any";
}

/**
 * Names the tool calls of one request: call and result get the same id, different calls different ones, and an id that is valid stays
 * as it is. The names depend on the conversation before them only, so that they are the same in each request that continues it.
 */
export class ToolCallIds {
  readonly #rule: ToolCallIdRule;
  readonly #model: Model;
  readonly #used = new Set<string>();
  /** How often an id came, so that the thousandth time costs as little as the second. */
  readonly #counts = new Map<string, number>();

  constructor(rule: ToolCallIdRule, model: Model) {
    this.#rule = rule;
    this.#model = model;
  }

  /** The id to send for a call of `message`. Called once a call, in order. */
  assign(id: string, message: AssistantMessage): string {
    if (this.#rule === "any") return id;
    const { provider, api, id: modelId } = this.#model;
    const isOwn = message.provider === provider && message.api === api && message.model === modelId;
    let sent = rewriteToolCallId(id, this.#rule, isOwn);
    let count = this.#counts.get(id) ?? 1;
    // Some servers count their calls anew in each answer, and strict ones reject an id that comes twice.
    while (this.#used.has(sent)) {
      count += 1;
      sent = fit(id, `${id}#${count}`, this.#rule);
    }
    this.#counts.set(id, count);
    this.#used.add(sent);
    return sent;
  }
}

/** `id` if the rule allows it, else a readable beginning of it with a hash, so that different ids stay different. */
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
