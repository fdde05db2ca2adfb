import { type AssistantMessage, emptyUsage, type Usage } from "@pikit/ai";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../../ai/test/helpers/characters.ts";
import { encodeLine } from "../../src/protocol/jsonl.ts";
import { type LinePiece, LinePieces } from "../../src/protocol/line-pieces.ts";
import { SnapshotEncoder } from "../../src/protocol/snapshot-encoder.ts";
import { SnapshotBuilder } from "../../src/protocol/snapshots.ts";
import type { DeltaUpdate } from "../../src/protocol/stream-records.ts";
import { decodePieces } from "../helpers/slow-sink.ts";

type Step = DeltaUpdate["assistantMessageEvent"];

/** An answer before its first block, with a field that no version of ours has, before the content and after it. */
function start(): AssistantMessage {
  const message = {
    role: "assistant" as const,
    later: { content: [] },
    content: [],
    api: "scripted",
    provider: "p\u2028",
    model: "m",
    usage: emptyUsage(),
    stopReason: "stop" as const,
    absent: undefined,
    timestamp: 1,
  };
  return message;
}

/** The lines of all records, from pieces that nobody has looked at before the last one was made. */
function encodeAll(updates: readonly DeltaUpdate[]): string[] {
  const encoder = new SnapshotEncoder(start());
  const lines: LinePiece[][] = [];
  for (const update of updates) {
    const line = new LinePieces();
    encoder.addLine(update, line);
    lines.push(line.take());
  }
  return lines.map(decodePieces);
}

/** The same, the plain way. */
function stringifyAll(updates: readonly DeltaUpdate[]): string[] {
  const builder = new SnapshotBuilder(start());
  return updates.map((update) => encodeLine(builder.apply(update)));
}

const toUpdate = (assistantMessageEvent: Step): DeltaUpdate => ({ type: "message_update", assistantMessageEvent });

/** Pieces of any text, cut anywhere: also within surrogate pairs, which may also be alone. */
const pieces = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc.string({ unit: anyCharacter }),
        fc.constantFrom("\ud83d", "\ude00", "😀", "\u2028", "\u2029\u0085", '"\\\n\u0000\u001f', "é€", "plain words "),
      ),
      { maxLength: 12 },
    ),
    fc.array(fc.nat(12), { maxLength: 30 }),
  )
  .map(([parts, sizes]) => cut(parts.join(""), sizes));

const argumentPieces = fc
  .tuple(
    fc.oneof(
      fc
        .dictionary(fc.oneof(fc.string(), fc.constantFrom("1", "b", "a", "__proto__")), fc.jsonValue())
        .map((value) => JSON.stringify(value)),
      pieces.map((parts) => JSON.stringify({ path: "a.ts", edits: [{ text: parts.join("") }] })),
      fc.constantFrom(
        '{"a":1,"b":"x","a":"again","1":"grows","c":tru',
        '{"a":{"b":["x',
        "[1,2]",
        '{"a":"\\u00e9\\ud83d\\ude00\\/"',
        "no JSON",
      ),
    ),
    fc.array(fc.nat(12), { maxLength: 60 }),
  )
  .map(([text, sizes]) => cut(text, sizes));

function cut(text: string, sizes: readonly number[]): string[] {
  let at = 0;
  const parts = sizes.map((size) => {
    at += size;
    return text.slice(at - size, at);
  });
  return [...parts, text.slice(at)];
}

/** The steps of one block, whatever its index; `isEnded` says whether it comes to its end. */
const block = fc.oneof(
  fc.record({
    kind: fc.constant("text" as const),
    parts: pieces,
    signature: fc.option(fc.string(), { nil: undefined }),
    isEnded: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("thinking" as const),
    parts: pieces,
    signature: fc.option(fc.string(), { nil: undefined }),
    isEnded: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("toolcall" as const),
    parts: argumentPieces,
    signature: fc.constant(undefined),
    isEnded: fc.boolean(),
  }),
);

function stepsOf(
  { kind, parts, signature, isEnded }: typeof block extends fc.Arbitrary<infer T> ? T : never,
  contentIndex: number,
): Step[] {
  const all = parts.join("");
  const deltas = parts.map((delta): Step => ({ type: `${kind}_delta`, contentIndex, delta }));
  if (kind === "text") {
    const end: Step = {
      type: "text_end",
      contentIndex,
      content: all,
      ...(signature !== undefined && { textSignature: signature }),
    };
    return [{ type: "text_start", contentIndex }, ...deltas, ...(isEnded ? [end] : [])];
  }
  if (kind === "thinking") {
    const signed = signature === undefined ? {} : { thinkingSignature: signature, redacted: true };
    const end: Step = { type: "thinking_end", contentIndex, content: `${all} and more`, ...signed };
    return [{ type: "thinking_start", contentIndex }, ...deltas, ...(isEnded ? [end] : [])];
  }
  const call = { id: `call\u2028${contentIndex}`, name: "edit" };
  const toolCall = { type: "toolCall" as const, ...call, arguments: { final: all }, argumentsError: "none" };
  const end: Step = { type: "toolcall_end", contentIndex, toolCall };
  return [{ type: "toolcall_start", contentIndex, id: call.id, toolName: call.name }, ...deltas, ...(isEnded ? [end] : [])];
}

/** Blocks take turns as `order` says; each begins when the one before has begun. */
function interleave(blocks: readonly Step[][], order: readonly number[]): Step[] {
  const queues = blocks.map((steps) => [...steps]);
  const result = queues.flatMap((steps) => steps.splice(0, 1));
  for (const turn of order) {
    const waiting = queues.filter((steps) => steps.length > 0);
    result.push(...(waiting[turn % waiting.length]?.splice(0, 1) ?? []));
  }
  return [...result, ...queues.flat()];
}

test("each line is, byte by byte, what JSON.stringify makes of the snapshot", () => {
  const usage = fc.record({ at: fc.nat(80), output: fc.nat(1000) });
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 4 }),
      fc.array(fc.nat(3), { maxLength: 80 }),
      fc.array(usage),
      (blocks, order, usages) => {
        const updates = interleave(blocks.map(stepsOf), order).map(toUpdate);
        for (const { at, output } of usages) {
          const update = updates[at];
          if (update) update.usage = { ...emptyUsage(), output } satisfies Usage;
        }
        expect(encodeAll(updates)).toEqual(stringifyAll(updates));
      },
    ),
    { numRuns: 500 },
  );
});

test("arguments that are nested deeper than JSON.stringify can follow are written as encodeLine writes them", () => {
  const depth = 20_000;
  const updates: Step[] = [
    { type: "toolcall_start", contentIndex: 0, id: "1", toolName: "t" },
    { type: "toolcall_delta", contentIndex: 0, delta: `{"a":${"[".repeat(depth)}` },
    { type: "toolcall_delta", contentIndex: 0, delta: '"x' },
  ];
  expect(encodeAll(updates.map(toUpdate))).toEqual(stringifyAll(updates.map(toUpdate)));
});
