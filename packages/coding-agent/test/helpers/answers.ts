import {
  type AssistantMessage,
  type AssistantMessageEvent,
  AssistantMessageEventStream,
  createScriptedModel,
  emptyUsage,
  MessageAssembler,
  type TextBlock,
  type ThinkingBlock,
  type ToolCallBlock,
} from "@pikit/ai";
import fc from "fast-check";

/** Something that an adapter does to an answer. `block` is taken modulo the blocks that there are. */
export type AnswerStep =
  | { do: "open"; kind: "text" | "thinking" | "toolCall" }
  | { do: "append"; block: number; length: number }
  | { do: "end"; block: number; signed: boolean }
  | { do: "usage"; output: number };

/** An event of a streamed answer, and a copy of the whole message at that moment. */
export interface StreamedStep {
  event: AssistantMessageEvent;
  state: AssistantMessage;
}

const argumentTexts = [
  JSON.stringify({ path: "a/b.txt", text: 'line 1\n"quoted" \\ é€😀 \u2028', n: -1.5e3, list: [1, [true, null], { k: "v" }] }),
  JSON.stringify({ command: "ls -la", nested: { deep: { deeper: "😀😀" } }, ["__proto__"]: "data" }),
  '{"cut off": "in the mid',
  '{"broken": tru}, more',
  "[1, 2]",
  "",
];
const prose = "Häuser, €5 😀 and \u2028 a line break\n".repeat(4);

/** Random answers: text, thinking and tool calls, in any interleaving. */
export const answerSteps: fc.Arbitrary<AnswerStep[]> = fc.array(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant("open" as const), kind: fc.constantFrom("text", "thinking", "toolCall") }),
    },
    {
      weight: 8,
      arbitrary: fc.record({ do: fc.constant("append" as const), block: fc.nat(5), length: fc.integer({ min: 1, max: 30 }) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("end" as const), block: fc.nat(5), signed: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("usage" as const), output: fc.nat(100) }) },
  ) as fc.Arbitrary<AnswerStep>,
  { maxLength: 60 },
);

/** Plays steps through the assembler, as an adapter does, and ends the answer. */
export function playSteps(steps: readonly AnswerStep[]): StreamedStep[] {
  const result: StreamedStep[] = [];
  const stream = new AssistantMessageEventStream();
  const push = stream.push.bind(stream);
  stream.push = (event) => {
    result.push({ event, state: structuredClone(assembler.message) });
    push(event);
  };
  const assembler = new MessageAssembler(createScriptedModel({ script: [] }), stream);
  const blocks: Block[] = [];
  for (const step of steps) {
    if (step.do === "open") blocks.push(openBlock(assembler, step.kind, blocks.length));
    else if (step.do === "usage") assembler.setUsage({ ...emptyUsage(), output: step.output });
    else if (step.do === "append") blocks[step.block % blocks.length]?.append(step.length);
    else blocks[step.block % blocks.length]?.end(step.signed);
  }
  assembler.done(blocks.some(({ kind }) => kind === "toolCall") ? "toolUse" : "stop");
  return result;
}

interface Block {
  kind: string;
  append(length: number): void;
  end(signed: boolean): void;
}

function openBlock(assembler: MessageAssembler, kind: "text" | "thinking" | "toolCall", index: number): Block {
  const open: TextBlock | ThinkingBlock | ToolCallBlock =
    kind === "text"
      ? assembler.openText()
      : kind === "thinking"
        ? assembler.openThinking()
        : assembler.openToolCall({ id: `call_${index}`, name: `tool_${index}` });
  const source = kind === "toolCall" ? (argumentTexts[index % argumentTexts.length] as string) : prose;
  let position = 0;
  return {
    kind,
    append(length) {
      open.append(source.slice(position, position + length));
      position += length;
    },
    end(signed) {
      if (kind === "text") (open as TextBlock).end(signed ? "text signature" : undefined);
      else if (kind === "thinking") (open as ThinkingBlock).end(signed ? { thinkingSignature: "s", redacted: true } : {});
      else (open as ToolCallBlock).end();
    },
  };
}
