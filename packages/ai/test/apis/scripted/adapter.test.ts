import { expect, test } from "vitest";
import { complete, createScriptedModel, type ScriptedAnswer, stream } from "../../../src/index.ts";
import { checkGrammar, collect, summarize } from "../../helpers/events.ts";
import { user } from "../../helpers/messages.ts";
import { testModel } from "../../helpers/models.ts";

const hello = { messages: [user("hello")] };

function ask(answer: ScriptedAnswer, signal?: AbortSignal) {
  return stream(createScriptedModel({ script: [answer] }), hello, signal ? { signal } : {});
}

test("plays thinking, text and tool calls in that order", async () => {
  const answer = ask({
    text: "Let me look",
    thinking: "hm, well",
    toolCalls: [{ name: "ls", arguments: { path: "." }, id: "one" }, { name: "pwd" }],
  });
  expect(summarize(checkGrammar(await collect(answer)))).toEqual([
    { type: "start" },
    { type: "thinking_start", contentIndex: 0 },
    { type: "thinking_delta", contentIndex: 0, delta: "hm, well" },
    { type: "thinking_end", contentIndex: 0, content: "hm, well" },
    { type: "text_start", contentIndex: 1 },
    { type: "text_delta", contentIndex: 1, delta: "Let me look" },
    { type: "text_end", contentIndex: 1, content: "Let me look" },
    { type: "toolcall_start", contentIndex: 2 },
    { type: "toolcall_delta", contentIndex: 2, delta: '{"path":"."}' },
    { type: "toolcall_end", contentIndex: 2, toolCall: { name: "ls", arguments: { path: "." } } },
    { type: "toolcall_start", contentIndex: 3 },
    { type: "toolcall_delta", contentIndex: 3, delta: "{}" },
    { type: "toolcall_end", contentIndex: 3, toolCall: { name: "pwd", arguments: {} } },
    { type: "done", reason: "toolUse" },
  ]);
});

test.each([
  { deltas: undefined, expected: ["one ", "two ", "three"] },
  { deltas: 2, expected: ["one tw", "o three"] },
  { deltas: 1, expected: ["one two three"] },
  { deltas: ["a", "b"], expected: ["a", "b"] },
])("cuts the text as deltas says: $deltas", async ({ deltas, expected }) => {
  const events = await collect(ask({ text: "one two three", ...(deltas && { deltas }) }));
  expect(events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []))).toEqual(expected);
});

test("never cuts through a character", async () => {
  const events = await collect(ask({ text: "👋👋👋", deltas: 100 }));
  expect(events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []))).toEqual(["👋", "👋", "👋"]);
});

test("an answer of nothing is an empty message", async () => {
  expect(await ask({}).result()).toMatchObject({ content: [], stopReason: "stop" });
});

test("an error without text fails before the answer begins, one with text after it", async () => {
  const error = { status: 529, message: "Busy" };
  const early = ask({ error });
  expect(summarize(await collect(early))).toEqual([{ type: "error", reason: "error" }]);
  expect(early.failure).toMatchObject({ code: "overloaded", status: 529, message: "529 from script: Busy" });
  const late = ask({ error: { message: "cable cut" }, text: "half" });
  expect(await late.result()).toMatchObject({ content: [{ text: "half" }], errorMessage: "cable cut" });
  expect(late.failure?.code).toBe("network");
});

test("usage is estimated, or what the script says", async () => {
  const estimated = (await ask({ text: "hi" }).result()).usage;
  expect(estimated.input).toBeGreaterThan(0);
  expect(estimated.totalTokens).toBe(estimated.input + estimated.output);
  const usage = { input: 10, output: 20, cacheRead: 30, cacheWrite: 40 };
  expect((await ask({ text: "hi", usage }).result()).usage).toMatchObject({ ...usage, totalTokens: 100, cost: { total: 0 } });
});

test("plays a list in order and then says that it is at its end", async () => {
  const model = createScriptedModel({ script: [{ text: "one" }, { text: "two" }] });
  expect((await complete(model, hello)).content).toEqual([{ type: "text", text: "one" }]);
  expect((await complete(model, hello)).content).toEqual([{ type: "text", text: "two" }]);
  expect((await complete(model, hello)).errorMessage).toBe(
    "the script has 2 answers, but call 3 needs another one. Add a line for it.",
  );
});

test("two models of one list each play it from the start", async () => {
  const script = [{ text: "one" }, { text: "two" }];
  const models = [createScriptedModel({ script }), createScriptedModel({ script })];
  for (const model of models) expect((await complete(model, hello)).content).toEqual([{ type: "text", text: "one" }]);
});

test("a function sees the context, the count and the signal", async () => {
  const controller = new AbortController();
  const model = createScriptedModel({
    script: async ({ messages }, callIndex, signal) => ({
      text: `${messages.length} ${callIndex} ${signal === controller.signal}`,
    }),
  });
  await complete(model, hello);
  expect((await complete(model, hello, { signal: controller.signal })).content).toEqual([{ type: "text", text: "1 1 true" }]);
});

test("AI-005 an abort ends the wait for the next delta", async () => {
  const controller = new AbortController();
  const answer = ask({ text: "one two", delayMs: 60_000, thinking: "hm" }, controller.signal);
  for await (const event of answer) if (event.type === "thinking_start") controller.abort();
  expect((await answer.result()).stopReason).toBe("aborted");
});

test("an abort is seen in the middle of deltas that have no delay", async () => {
  const controller = new AbortController();
  const answer = ask({ deltas: Array.from({ length: 100_000 }, () => "x") }, controller.signal);
  for await (const event of answer) if (event.type === "text_delta") controller.abort();
  const [block] = (await answer.result()).content;
  expect(block?.type === "text" && block.text.length).toBeLessThan(1000);
});

test("a model without a script says how to make one", async () => {
  expect((await complete(testModel("scripted", ""), hello)).errorMessage).toBe(
    "test/test-model has no script. Make scripted models with createScriptedModel.",
  );
});
