import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AiError, AssistantMessageEventStream, emptyUsage, MessageAssembler, type ToolCallBlock } from "../src/index.ts";
import { checkGrammar, collect, summarize } from "./helpers/events.ts";
import { testModel } from "./helpers/models.ts";

const model = testModel("test-api", "http://localhost");

function assemble(build: (assembler: MessageAssembler) => void): AssistantMessageEventStream {
  const stream = new AssistantMessageEventStream();
  build(new MessageAssembler(model, stream));
  return stream;
}

type Action =
  | { do: "start" }
  | { do: "text" | "thinking" | "call" }
  | { do: "append"; block: number; delta: string }
  | { do: "end"; block: number }
  | { do: "done"; reason: "stop" | "length" | "toolUse" }
  | { do: "fail"; code: "network" | "aborted" };

const pieces = ["a", "", " ", '{"a"', ":1", "}", "[", "\u{1F44B}", '"__proto__":{"x":1}'];
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Action>({ do: "start" }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("text", "thinking", "call") }) },
  { weight: 12, arbitrary: fc.record({ do: fc.constant("append"), block: fc.nat(6), delta: fc.constantFrom(...pieces) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("end"), block: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("done"), reason: fc.constantFrom("stop", "length", "toolUse") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("fail"), code: fc.constantFrom("network", "aborted") }) },
) as fc.Arbitrary<Action>;

test("AI-001 any interleaving of calls obeys the grammar, and deltas add up to the blocks", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
      const blocks: { append(delta: string): void; end(): void }[] = [];
      const stream = assemble((assembler) => {
        for (const step of actions) {
          if (step.do === "start") assembler.start();
          else if (step.do === "text") blocks.push(assembler.openText());
          else if (step.do === "thinking") blocks.push(assembler.openThinking());
          else if (step.do === "call") blocks.push(assembler.openToolCall({ id: `id${blocks.length}`, name: "tool" }));
          else if (step.do === "append") blocks[step.block]?.append(step.delta);
          else if (step.do === "end") blocks[step.block]?.end();
          else if (step.do === "done") assembler.done(step.reason);
          else if (step.do === "fail") assembler.fail(new AiError(step.code, "failed"));
        }
        assembler.done("stop");
      });
      const events = checkGrammar(await collect(stream));
      const message = await stream.result();
      const texts = message.content.map(() => "");
      for (const event of events) if ("delta" in event) texts[event.contentIndex] += event.delta;
      for (const [index, block] of message.content.entries()) {
        if (block.type === "text") expect(texts[index]).toBe(block.text);
        if (block.type === "thinking") expect(texts[index]).toBe(block.thinking);
      }
      const last = events.at(-1);
      expect(last?.type === "done" ? last.message : last?.type === "error" && last.error).toBe(message);
    }),
  );
});

test("blocks that are open at the end are ended in the order of opening", async () => {
  const stream = assemble((assembler) => {
    const text = assembler.openText();
    assembler.openToolCall({ id: "a", name: "ls" }).append("{}");
    text.append("hi");
    assembler.done("toolUse");
  });
  expect(summarize(checkGrammar(await collect(stream))).slice(-3)).toEqual([
    { type: "text_end", contentIndex: 0, content: "hi" },
    { type: "toolcall_end", contentIndex: 1, toolCall: { name: "ls", arguments: {} } },
    { type: "done", reason: "toolUse" },
  ]);
});

test("AI-001 a failure before the answer begins gives only an error event", async () => {
  const stream = assemble((assembler) => assembler.fail(new AiError("network", "no connection")));
  expect(summarize(await collect(stream))).toEqual([{ type: "error", reason: "error" }]);
  expect(await stream.result()).toMatchObject({ content: [], stopReason: "error", errorMessage: "no connection" });
});

test("a failure keeps what has arrived, ends no block, and says what failed as a value", async () => {
  const failure = new AiError("aborted", "stopped");
  const stream = assemble((assembler) => {
    assembler.openText().append("half");
    assembler.fail(failure);
  });
  expect(summarize(checkGrammar(await collect(stream))).map((step) => step.type)).toEqual([
    "start",
    "text_start",
    "text_delta",
    "error",
  ]);
  expect(stream.failure).toBe(failure);
  expect(await stream.result()).toMatchObject({ stopReason: "aborted", content: [{ text: "half" }] });
});

test.each(["aborted", "network"] as const)("AI-005 AI-013 usage that came before a failure stays: %s", async (code) => {
  const usage = { ...emptyUsage(), input: 100, cacheRead: 50, totalTokens: 150 };
  const stream = assemble((assembler) => {
    assembler.setUsage(usage);
    assembler.openText().append("half");
    assembler.fail(new AiError(code, "ended"));
  });
  expect((await stream.result()).usage).toEqual(usage);
});

test("signatures appear with the end of their block and not before", async () => {
  const seen: unknown[] = [];
  assemble((assembler) => {
    const thinking = assembler.openThinking();
    thinking.append("hm");
    seen.push(structuredClone(assembler.message.content));
    thinking.end({ thinkingSignature: "proof", redacted: false });
    const text = assembler.openText();
    text.append("hi");
    text.end("signed");
    seen.push(structuredClone(assembler.message.content));
  });
  expect(seen).toEqual([
    [{ type: "thinking", thinking: "hm" }],
    [
      { type: "thinking", thinking: "hm", thinkingSignature: "proof" },
      { type: "text", text: "hi", textSignature: "signed" },
    ],
  ]);
});

test("usage may be reported until the end and is ignored afterwards", async () => {
  const usage = {
    input: 1,
    output: 2,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 3,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  const stream = assemble((assembler) => {
    assembler.setUsage(usage);
    assembler.done("stop");
    assembler.setUsage({ ...usage, input: 99 });
  });
  expect((await stream.result()).usage).toEqual(usage);
});

describe("AI-010 the final arguments are read strictly", () => {
  function argumentsOf(build: (call: ToolCallBlock) => void) {
    const stream = assemble((assembler) => {
      build(assembler.openToolCall({ id: "a", name: "tool" }));
      assembler.done("toolUse");
    });
    return stream.result().then((message) => message.content[0]);
  }

  test.each([
    { text: "", fallback: undefined, expected: {} },
    { text: "", fallback: null, expected: {} },
    { text: "", fallback: { a: 1 }, expected: { a: 1 } },
    { text: "  ", fallback: undefined, expected: {} },
    { text: "null", fallback: undefined, expected: {} },
    { text: '{"a":1}', fallback: { b: 2 }, expected: { a: 1 } },
  ])("$text with $fallback", async ({ text, fallback, expected }) => {
    const block = await argumentsOf((call) => {
      call.append(text);
      call.end(fallback);
    });
    expect(block).toEqual({ type: "toolCall", id: "a", name: "tool", arguments: expected });
  });

  test.each([
    { text: '{"a":1', said: "not valid JSON", kept: { a: 1 } },
    { text: "[1]", said: "but are an array", kept: {} },
    { text: '"text"', said: "but are a string", kept: {} },
    { text: "5", said: "but are a number", kept: {} },
  ])("$text is reported as broken", async ({ text, said, kept }) => {
    const block = await argumentsOf((call) => {
      call.append(text);
      call.end();
    });
    expect(block).toMatchObject({ arguments: kept, argumentsError: expect.stringContaining(said) });
  });
});

test("AI-009 partial arguments are replaced, never changed, so that a snapshot stays what it was", () => {
  const snapshots: unknown[] = [];
  assemble((assembler) => {
    const call = assembler.openToolCall({ id: "a", name: "tool" });
    for (const delta of ['{"a":', '{"b":"x', 'y"},"c":[1', ",2]}"]) {
      call.append(delta);
      const block = assembler.message.content[0];
      if (block?.type === "toolCall") snapshots.push(block.arguments);
    }
  });
  expect(snapshots).toEqual([{}, { a: { b: "x" } }, { a: { b: "xy" }, c: [1] }, { a: { b: "xy" }, c: [1, 2] }]);
});

test.each([
  ["text", (assembler: MessageAssembler) => assembler.openText().append("x".repeat(300))],
  ["thinking", (assembler: MessageAssembler) => assembler.openThinking().append("x".repeat(300))],
  ["arguments", (assembler: MessageAssembler) => assembler.openToolCall({ id: "a", name: "b" }).append("x".repeat(300))],
  ["a signature", (assembler: MessageAssembler) => assembler.openText().end("x".repeat(300))],
  ["one of thinking", (assembler: MessageAssembler) => assembler.openThinking().end({ thinkingSignature: "x".repeat(300) })],
  ["blocks", (assembler: MessageAssembler) => void [assembler.openText(), assembler.openThinking()]],
])("AI-033 an answer has an upper bound: %s", (_what, build) => {
  const assembler = new MessageAssembler(model, new AssistantMessageEventStream(), 500);
  expect(() => build(assembler)).toThrow("has more than 500 characters; it was cut there.");
});
