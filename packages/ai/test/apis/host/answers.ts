import fc from "fast-check";
import { toHostModel } from "../../../src/apis/host/model.ts";
import { type AssistantMessage, AssistantMessageEventStream, type HostModelFrame, MessageAssembler } from "../../../src/index.ts";

/** A block of an answer with the pieces in which it comes. */
type Block =
  | { kind: "text"; pieces: string[]; textSignature?: string }
  | { kind: "thinking"; pieces: string[]; thinkingSignature?: string; redacted?: boolean }
  | { kind: "toolcall"; id: string; name: string; pieces: string[]; thoughtSignature?: string };

/** A legal answer. `order` interleaves the steps of the blocks; `repeats`: the ends repeat the whole block. */
export interface Answer {
  blocks: Block[];
  order: number[];
  repeats: boolean;
  stopReason: "stop" | "length" | "toolUse";
  usage: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number };
}

const signature = fc.string({ minLength: 1, maxLength: 8 });
const pieces = fc.array(fc.string({ unit: "grapheme", maxLength: 6 }), { maxLength: 6 });
const cutJson = fc
  .tuple(fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }), fc.integer({ min: 1, max: 7 }))
  .map(([value, size]) => JSON.stringify(value).match(new RegExp(`[^]{1,${size}}`, "g")) ?? []);

const block: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ kind: fc.constant("text" as const), pieces, textSignature: signature }, { requiredKeys: ["kind", "pieces"] }),
  fc.record(
    { kind: fc.constant("thinking" as const), pieces, thinkingSignature: signature, redacted: fc.boolean() },
    { requiredKeys: ["kind", "pieces"] },
  ),
  fc.record(
    {
      kind: fc.constant("toolcall" as const),
      id: fc.uuid(),
      name: fc.constantFrom("read", "bash"),
      pieces: cutJson,
      thoughtSignature: signature,
    },
    { requiredKeys: ["kind", "id", "name", "pieces"] },
  ),
);
const count = fc.option(fc.nat(100_000), { nil: undefined });

export const legalAnswer: fc.Arbitrary<Answer> = fc
  .record({
    blocks: fc.array(block, { maxLength: 5 }),
    order: fc.array(fc.nat(100), { maxLength: 60 }),
    repeats: fc.boolean(),
    isCut: fc.boolean(),
    usage: fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count }),
  })
  .map(({ isCut, usage, ...answer }) => ({
    ...answer,
    usage: JSON.parse(JSON.stringify(usage)),
    stopReason: isCut ? "length" : answer.blocks.some(({ kind }) => kind === "toolcall") ? "toolUse" : "stop",
  }));

export const hostModel = toHostModel(
  { id: "x", reasoning: true, contextWindow: 200_000, cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 4 } },
  () => undefined,
);

/** The frames of an answer. Blocks start in their order, and their other steps interleave. */
export function toFrames({ blocks, order, repeats, stopReason, usage }: Answer): HostModelFrame[] {
  const waiting = blocks.map((each, index) => stepsOf(each, index, repeats));
  const frames: HostModelFrame[] = [];
  let started = 0;
  let turn = 0;
  while (waiting.some((steps) => steps.length > 0)) {
    const ready = waiting.flatMap((steps, index) => (steps.length > 0 && index <= started ? [index] : []));
    const index = ready[(order[turn % Math.max(1, order.length)] ?? 0) % ready.length] as number;
    turn += 1;
    if (index === started) started += 1;
    frames.push({ type: "host_model_event", event: waiting[index]?.shift() as never });
  }
  return [...frames, { type: "host_model_result", stopReason, usage }];
}

function stepsOf(each: Block, contextIndex: number, repeats: boolean): object[] {
  const at = { contentIndex: contextIndex };
  const { kind, pieces } = each;
  const deltas = pieces.map((delta) => ({ type: `${kind}_delta`, ...at, delta }));
  if (kind === "text") {
    const { textSignature } = each;
    return [
      { type: "text_start", ...at },
      ...deltas,
      { type: "text_end", ...at, ...(repeats && { content: pieces.join("") }), ...(textSignature && { textSignature }) },
    ];
  }
  if (kind === "thinking") {
    const { thinkingSignature, redacted } = each;
    const signed = { ...(thinkingSignature && { thinkingSignature }), ...(redacted !== undefined && { redacted }) };
    return [
      { type: "thinking_start", ...at },
      ...deltas,
      { type: "thinking_end", ...at, ...(repeats && { content: pieces.join("") }), ...signed },
    ];
  }
  const { id, name, thoughtSignature } = each;
  const toolCall = {
    type: "toolCall",
    id,
    name,
    arguments: JSON.parse(pieces.join("")),
    ...(thoughtSignature && { thoughtSignature }),
  };
  return [
    { type: "toolcall_start", ...at, id, toolName: name },
    ...deltas,
    { type: "toolcall_end", ...at, ...((repeats || thoughtSignature) && { toolCall }) },
  ];
}

/** The message that an adapter makes of the same content. */
export function assemble({ blocks, stopReason }: Answer, usage: AssistantMessage["usage"]): AssistantMessage {
  const assembler = new MessageAssembler(hostModel, new AssistantMessageEventStream());
  assembler.setUsage(usage);
  for (const each of blocks) {
    if (each.kind === "text") {
      const open = assembler.openText();
      for (const piece of each.pieces) open.append(piece);
      open.end(each.textSignature);
    } else if (each.kind === "thinking") {
      const open = assembler.openThinking();
      for (const piece of each.pieces) open.append(piece);
      open.end({ thinkingSignature: each.thinkingSignature, redacted: each.redacted === true });
    } else {
      const open = assembler.openToolCall(each);
      for (const piece of each.pieces) open.append(piece);
      open.end();
    }
  }
  assembler.done(stopReason);
  return assembler.message;
}
