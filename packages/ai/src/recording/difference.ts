import { isDeepStrictEqual } from "node:util";
import type { MessageSummary, RequestSummary } from "./request-summary.ts";

/** Maximum characters of a quoted text, and how many of them precede the first difference. */
const maxQuoted = 80;
const leadIn = 20;

/** Describes the first difference between a request and the recorded one, with short quotes of both; undefined if they match. */
export function describeDifference(expected: RequestSummary, received: RequestSummary): string | undefined {
  if (expected.model !== received.model) return `the model: expected "${expected.model}", received "${received.model}"`;
  if (!isDeepStrictEqual(expected.tools, received.tools)) {
    return `the tools: expected ${listNames(expected.tools)}; received ${listNames(received.tools)}`;
  }
  const count = Math.max(expected.messages.length, received.messages.length);
  for (let index = 0; index < count; index += 1) {
    const difference = describeMessage(expected.messages[index], received.messages[index]);
    if (difference) return `message ${index + 1}${difference}`;
  }
  return undefined;
}

function describeMessage(expected: MessageSummary | undefined, received: MessageSummary | undefined): string | undefined {
  if (!expected || !received) return `: expected ${quoteMessage(expected)}, received ${quoteMessage(received)}`;
  if (expected.role !== received.role) return `: expected ${quoteMessage(expected)}, received ${quoteMessage(received)}`;
  if (expected.text !== received.text) return ` (${expected.role}), its text: ${quoteBoth(expected.text, received.text)}`;
  if (isDeepStrictEqual(expected.toolCalls, received.toolCalls)) return undefined;
  return ` (${expected.role}), its tool calls: ${quoteBoth(listCalls(expected), listCalls(received))}`;
}

function quoteMessage(message: MessageSummary | undefined): string {
  return message ? `${message.role} ${quoteAround(message.text || listCalls(message), 0)}` : "no further message";
}

function quoteBoth(expected: string, received: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === received[at]) at += 1;
  return `from character ${at + 1} on, expected ${quoteAround(expected, at)}, received ${quoteAround(received, at)}`;
}

function quoteAround(text: string, at: number): string {
  const from = Math.max(0, at - leadIn);
  const piece = text.slice(from, from + maxQuoted);
  return JSON.stringify(`${from > 0 ? "…" : ""}${piece}${from + maxQuoted < text.length ? "…" : ""}`);
}

function listCalls({ toolCalls = [] }: MessageSummary): string {
  return toolCalls.map((call) => `${call.name}(${JSON.stringify(call.arguments)})`).join(", ");
}

function listNames(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ");
}
