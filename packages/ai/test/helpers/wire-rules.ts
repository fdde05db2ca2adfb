import { expect } from "vitest";

/** Any part of a request body, as a vendor's server sees it. What a wire does not have is never asked for. */
interface Json {
  [field: string]: unknown;
  role: string;
  type: string;
  text: string;
  id: string;
  name: string;
  call_id: string;
  tool_use_id: string;
  tool_call_id: string;
  arguments: string;
  messages: Json[];
  input: Json[];
  contents: Json[];
  parts: Json[];
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  functionCall?: { id?: string; name: string };
  functionResponse?: { id?: string; name: string };
}

/** A message or block with a list of blocks inside. */
interface WithBlocks extends Json {
  content: Json[];
}

/** Throws unless the conversation in a body keeps the rules for which the vendor would reject it. */
export type WireRules = (body: unknown) => void;

/** Anthropic: user first and last, roles alternate, results directly behind their calls and first in their message. */
export const anthropicRules: WireRules = (body) => {
  const messages = (body as Json).messages as WithBlocks[];
  expectAlternation(messages, "user", "assistant");
  if (messages.length > 0) expect(messages.at(-1)?.role).toBe("user");
  const seen = new Set<string>();
  for (const [index, message] of messages.entries()) {
    expect(message.content.length).toBeGreaterThan(0);
    for (const block of message.content) if (block.type === "text") expectText(block.text);
    const calls = message.content.filter((block) => block.type === "tool_use");
    const results = message.content.filter((block) => block.type === "tool_result");
    for (const { content } of results as WithBlocks[]) {
      expect(content.length).toBeGreaterThan(0);
      for (const block of content) if (block.type === "text") expectText(block.text);
    }
    if (message.role === "user") {
      expect(calls).toEqual([]);
      expect(message.content.slice(0, results.length)).toEqual(results);
      const asked = (messages[index - 1]?.content ?? []).filter((block) => block.type === "tool_use");
      expect(results.map((block) => block.tool_use_id)).toEqual(asked.map((block) => block.id));
    } else {
      expect(results).toEqual([]);
      expect(message.content.slice(message.content.length - calls.length)).toEqual(calls);
    }
    for (const call of calls) expectId(call.id, /^[A-Za-z0-9_-]{1,64}$/, seen);
    for (const call of calls) expect(call.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  }
  expect((JSON.stringify(body).match(/cache_control/g) ?? []).length).toBeLessThanOrEqual(4);
};

/** Chat Completions: tool messages directly behind their calls, in order; every message has something in it. */
export function chatRules({ id = /^.+$/s, bridged = false }: { id?: RegExp; bridged?: boolean } = {}): WireRules {
  return (body) => {
    const { messages } = body as Json;
    const seen = new Set<string>();
    let expected: string[] = [];
    for (const [index, message] of messages.entries()) {
      if (message.role === "tool") {
        expect(message.tool_call_id).toBe(expected.shift());
        for (const text of textsOf(message.content as string)) expectText(text);
        continue;
      }
      expect(expected).toEqual([]);
      if (bridged && message.role === "user") expect(messages[index - 1]?.role).not.toBe("tool");
      expected = (message.tool_calls ?? []).map((call) => call.id);
      for (const call of message.tool_calls ?? []) {
        expectId(call.id, id, seen);
        expect(call.function.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(typeof JSON.parse(call.function.arguments)).toBe("object");
        expect(call.function.arguments).not.toBe("null");
      }
      if (message.content === null) expect(expected).not.toEqual([]);
      else expect((message.content as string | Json[]).length).toBeGreaterThan(0);
      for (const text of textsOf(message.content as string | Json[] | null)) expectText(text);
    }
    expect(expected).toEqual([]);
    if (bridged && messages.length > 0) expect(messages.at(-1)?.role).not.toBe("assistant");
  };
}

/** Responses: each call has one output before anything else is said, reasoning is followed by what it led to, ids are unique. */
export const responsesRules: WireRules = (body) => {
  const { input } = body as Json;
  const callIds = new Set<string>();
  const itemIds = new Set<string>();
  let open: string[] = [];
  for (const [index, item] of input.entries()) {
    if (item.type === "function_call_output") {
      expect(item.call_id).toBe(open.shift());
      expect((item.output as string | Json[]).length).toBeGreaterThan(0);
      continue;
    }
    if (item.id && item.type !== "reasoning") expectId(item.id, /^[A-Za-z0-9_-]{1,64}$/, itemIds);
    if (item.type === "function_call") {
      expectId(item.call_id, /^[A-Za-z0-9_-]{0,63}[A-Za-z0-9-]$/, callIds);
      expect(item.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      open.push(item.call_id);
    } else if (item.type === "reasoning") {
      expect(["reasoning", "message", "function_call"]).toContain(input[index + 1]?.type);
    } else {
      expect(open).toEqual([]);
      open = [];
      expect((item as WithBlocks).content.length).toBeGreaterThan(0);
      for (const part of (item as WithBlocks).content) if (part.type !== "input_image") expectText(part.text);
    }
  }
  expect(open).toEqual([]);
};

/** Gemini: user first, turns alternate, as many responses as calls in the turn behind them, in order. */
export const googleRules: WireRules = (body) => {
  const { contents } = body as Json;
  expectAlternation(contents, "user", "model");
  for (const [index, turn] of contents.entries()) {
    expect(turn.parts.length).toBeGreaterThan(0);
    const calls = turn.parts.flatMap((part) => part.functionCall ?? []);
    const responses = turn.parts.flatMap((part) => part.functionResponse ?? []);
    for (const part of turn.parts) if ("text" in part && !part.thoughtSignature) expectText(part.text);
    if (turn.role === "model") {
      expect(responses).toEqual([]);
      continue;
    }
    expect(calls).toEqual([]);
    const asked = (contents[index - 1]?.parts ?? []).flatMap((part) => part.functionCall ?? []);
    expect(responses.map(({ id, name }) => ({ id, name }))).toEqual(asked.map(({ id, name }) => ({ id, name })));
    expect(turn.parts.slice(0, responses.length).every((part) => part.functionResponse)).toBe(true);
  }
  if (contents.at(-1)?.role === "model") {
    expect(contents.at(-1)?.parts.some((part) => part.functionCall)).toBe(false);
  }
};

function expectAlternation(messages: Json[], first: string, second: string): void {
  for (const [index, { role }] of messages.entries()) expect(role).toBe(index % 2 === 0 ? first : second);
}

/** Of plain text or of a list of parts. */
function textsOf(content: string | Json[] | null): string[] {
  if (content === null) return [];
  return typeof content === "string" ? [content] : content.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

function expectText(text: unknown): void {
  expect(typeof text).toBe("string");
  expect((text as string).trim()).not.toBe("");
}

function expectId(id: string, form: RegExp, seen: Set<string>): void {
  expect(id).toMatch(form);
  expect(seen.has(id)).toBe(false);
  seen.add(id);
}
