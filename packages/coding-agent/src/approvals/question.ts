import type { PendingToolCall } from "@pikit/agent";
import type { ApprovalQuestion } from "../user-interface.ts";
import { describeDiff } from "./describe-diff.ts";
import type { Verdict } from "./verdict.ts";

/** Maximum characters of a call in a question: from its start and from its end. */
const maxHead = 3000;
const maxTail = 1000;

/** Maximum characters of a complete call. A person reads no more, and a longer one makes the terminal slow. */
const maxCall = 200_000;

/** Control characters, and characters that reorder or hide text. A question must show the real command. */
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A call to decide about. */
export type JudgedCall = Pick<PendingToolCall, "tool" | "params"> & Partial<Pick<PendingToolCall, "toolCall">>;

/** Maximum characters of a rule in a list of answers. A longer one is the command itself, which the question shows. */
const maxScope = 60;

/**
 * Creates the question about a call.
 *
 * @param rule - The rule that an answer for the session makes; undefined if that answer is not possible.
 * @param ruleFile - The file to which the answer "always" writes the rule; undefined if that answer is not possible.
 */
export function createQuestion(
  { tool, params, toolCall }: JudgedCall,
  { tier, reasons }: Verdict,
  { rule, ruleFile }: { rule?: string | undefined; ruleFile?: string | undefined } = {},
): ApprovalQuestion {
  const why = toVisible(reasons.map((reason) => `It ${reason}.`).join("\n"));
  const short = toVisible(shortenMiddle(describeCall(tool.name, params), maxHead, maxTail));
  const diff = describeDiff(tool.name, params);
  const call = diff ?? (isCommand(params) ? params.command : JSON.stringify(params, undefined, 2));
  const scope = rule === undefined ? undefined : toVisible(scopeOf(rule));
  const isKept = scope !== undefined && ruleFile !== undefined;
  const silenced = isKept ? `Without a question: ${scope} in approvalRules.allow of the settings.` : "";
  return {
    title: toVisible(`Allow ${tool.name}?`),
    message: [[why, silenced], [short]]
      .map(joinLines)
      .filter((part) => part !== "")
      .join("\n\n"),
    riskTier: tier,
    reasons: why,
    call: toVisible(shortenMiddle(call ?? "", maxCall / 2, maxCall / 2)),
    isDiff: diff !== undefined,
    ...(toolCall === undefined ? {} : { toolCallId: toolCall.id }),
    ...(scope === undefined ? {} : { sessionScope: scope }),
    ...(isKept ? { ruleFile } : {}),
  };
}

/** A rule, or in words that it allows exactly this call. */
function scopeOf(rule: string): string {
  return rule.length > maxScope || rule.includes("\n") ? "exactly this command" : rule;
}

function describeCall(name: string, params: unknown): string {
  if (isCommand(params)) return params.command;
  const { path } = (params ?? {}) as Record<string, unknown>;
  return typeof path === "string" && (name === "write" || name === "edit") ? path : JSON.stringify(params);
}

function joinLines(lines: readonly string[]): string {
  return lines.filter((line) => line !== "").join("\n");
}

function isCommand(params: unknown): params is { command: string } {
  return typeof (params as { command?: unknown } | null)?.command === "string";
}

function shortenMiddle(text: string, head: number, tail: number): string {
  const left = text.length - head - tail;
  if (left <= 0) return text;
  return `${text.slice(0, head)}\n… ${left} characters left out …\n${text.slice(-tail)}`;
}

/** Replaces invisible characters by their codes, so that they cannot hide text. */
function toVisible(text: string): string {
  return text.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
