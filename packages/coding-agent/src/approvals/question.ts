import type { PendingToolCall } from "@pikit/agent";
import type { Confirmation } from "../user-interface.ts";
import type { Verdict } from "./verdict.ts";

/** Maximum characters of a call in a question: from its start and from its end. */
const maxHead = 3000;
const maxTail = 1000;

/** Control characters, and characters that reorder or hide text. A question must show the real command. */
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Creates the question about a call. */
export function createQuestion(
  { tool, params }: Pick<PendingToolCall, "tool" | "params">,
  { tier, reasons }: Verdict,
): Confirmation {
  const why = reasons.map((reason) => `It ${reason}.`).join("\n");
  const message = [why, shortenMiddle(describeCall(tool.name, params))].filter((part) => part !== "").join("\n\n");
  return { title: toVisible(`Allow ${tool.name}?`), message: toVisible(message), riskTier: tier };
}

function describeCall(name: string, params: unknown): string {
  const { command, path } = (params ?? {}) as Record<string, unknown>;
  if (typeof command === "string") return command;
  return typeof path === "string" && (name === "write" || name === "edit") ? path : JSON.stringify(params);
}

function shortenMiddle(text: string): string {
  const left = text.length - maxHead - maxTail;
  if (left <= 0) return text;
  return `${text.slice(0, maxHead)}\n… ${left} characters left out …\n${text.slice(-maxTail)}`;
}

/** Replaces invisible characters by their codes, so that they cannot hide text. */
function toVisible(text: string): string {
  return text.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
