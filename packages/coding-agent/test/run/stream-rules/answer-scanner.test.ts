import type { AssistantMessage, AssistantMessageEvent } from "@pikit/ai";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AnswerScanner } from "../../../src/run/stream-rules/answer-scanner.ts";
import { PatternSet } from "../../../src/run/stream-rules/pattern-set.ts";

const partial = {} as AssistantMessage;
const compile = (...patterns: string[]) => PatternSet.compile(patterns.map((pattern) => ({ name: pattern, pattern })));

function pieces(text: string, size: number): string[] {
  return text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
}

/** The events of a block whose text comes in pieces; of a call without deltas where the size is 0. */
function block(kind: "text" | "toolcall", contentIndex: number, text: string, size: number): AssistantMessageEvent[] {
  const deltas = size === 0 ? [] : pieces(text, size);
  if (kind === "text") {
    return [
      { type: "text_start", contentIndex, partial },
      ...deltas.map((delta) => ({ type: "text_delta" as const, contentIndex, delta, partial })),
      { type: "text_end", contentIndex, content: text, partial },
    ];
  }
  const toolCall = { type: "toolCall" as const, id: "1", name: "write", arguments: JSON.parse(text) };
  return [
    { type: "toolcall_start", contentIndex, partial },
    ...deltas.map((delta) => ({ type: "toolcall_delta" as const, contentIndex, delta, partial })),
    { type: "toolcall_end", contentIndex, toolCall, partial },
  ];
}

/** Takes events from the blocks in turns. */
function interleave(blocks: AssistantMessageEvent[][]): AssistantMessageEvent[] {
  const queues = blocks.map((events) => [...events]);
  const result: AssistantMessageEvent[] = [];
  while (queues.some((queue) => queue.length > 0)) for (const queue of queues) result.push(...queue.splice(0, 1));
  return result;
}

test("blocks that arrive side by side, in any pieces or whole, are texts of their own", async () => {
  const patterns = await compile("alpha beta", "beta gamma", "alpha\\nbeta", "^gamma$", "delta");
  const size = fc.integer({ min: 1, max: 9 });
  const words = fc
    .array(fc.constantFrom("alpha", "beta", "gamma", "delta", " ", "\n"), { maxLength: 6 })
    .map((parts) => parts.join(""));
  const args = fc.record({ path: words, nested: fc.record({ list: fc.array(words, { maxLength: 3 }) }), delta: fc.nat() });
  fc.assert(
    fc.property(words, args, args, size, size, fc.boolean(), (text, first, second, textSize, callSize, isWhole) => {
      const scanner = new AnswerScanner(patterns);
      const found = new Set<number>();
      const events = interleave([
        block("text", 0, text, textSize),
        block("toolcall", 1, JSON.stringify(first), callSize),
        block("toolcall", 2, JSON.stringify(second, null, 1), isWhole ? 0 : textSize),
      ]);
      for (const event of events) for (const index of scanner.see(event)) found.add(index);
      const texts = [text, ...[first, second].flatMap(({ path, nested }) => [path, ...nested.list])];
      const expected = [/alpha beta/, /beta gamma/, /alpha\nbeta/, /^gamma$/, /delta/].flatMap((pattern, index) =>
        texts.some((each) => pattern.test(each)) ? [index] : [],
      );
      expect([...found].sort()).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test("SC-011 arguments that came as one value may be as deep as they like", async () => {
  const scanner = new AnswerScanner(await compile("needle"));
  let deep: Record<string, unknown> = { needle: "x", "": "needle" };
  for (let level = 0; level < 200_000; level += 1) deep = { a: deep };
  scanner.see({ type: "toolcall_start", contentIndex: 0, partial });
  const toolCall = { type: "toolCall" as const, id: "1", name: "x", arguments: deep };
  expect([...scanner.see({ type: "toolcall_end", contentIndex: 0, toolCall, partial })]).toEqual([0]);
});
