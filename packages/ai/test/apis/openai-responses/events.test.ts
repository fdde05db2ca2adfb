import { describe, expect, test } from "vitest";
import { type RequestFacts, ResponsesEventReader } from "../../../src/apis/openai-responses/events.ts";
import { checkGrammar, collect, summarize } from "../../helpers/events.ts";
import { testModel } from "../../helpers/models.ts";
import { failureOf, replay } from "../../helpers/replay.ts";

const model = testModel("openai-responses", "http://localhost");

function read(...events: unknown[]) {
  return readFor({}, ...events);
}

function readFor(request: RequestFacts, ...events: unknown[]) {
  return replay(model, (assembler, ofModel) => new ResponsesEventReader(assembler, ofModel, request), events);
}

async function contentOf(...events: unknown[]) {
  const { stream } = read(...events);
  checkGrammar(await collect(stream));
  return (await stream.result()).content;
}

const added = (output_index: number, item: object) => ({ type: "response.output_item.added", output_index, item });
const done = (output_index: number, item: object) => ({ type: "response.output_item.done", output_index, item });
const textDelta = (output_index: number, delta: string) => ({ type: "response.output_text.delta", output_index, delta });
const argsDelta = (output_index: number, delta: string) => ({
  type: "response.function_call_arguments.delta",
  output_index,
  delta,
});
const summaryDelta = (output_index: number, summary_index: number, delta: string) => ({
  type: "response.reasoning_summary_text.delta",
  output_index,
  summary_index,
  delta,
});
const completed = (response: object = {}) => ({ type: "response.completed", response: { status: "completed", ...response } });

const message = { type: "message", id: "msg_1", role: "assistant", content: [] };
const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
const call = (id: string) => ({ type: "function_call", id: `fc_${id}`, call_id: `call_${id}`, name: "ls", arguments: "" });

describe("OR-002 items", () => {
  test("deltas of two open calls do not mix, and items may end out of order", async () => {
    const { stream } = read(
      added(0, call("a")),
      added(1, call("b")),
      argsDelta(1, '{"path":'),
      argsDelta(0, '{"path":"x"'),
      argsDelta(1, '"y"}'),
      argsDelta(0, "}"),
      done(1, { ...call("b"), arguments: '{"path":"y"}' }),
      done(0, { ...call("a"), arguments: '{"path":"x"}' }),
      completed(),
    );
    expect(summarize(checkGrammar(await collect(stream))).map(({ type, contentIndex }) => [type, contentIndex])).toEqual([
      ["start", undefined],
      ["toolcall_start", 0],
      ["toolcall_start", 1],
      ["toolcall_delta", 1],
      ["toolcall_delta", 0],
      ["toolcall_delta", 1],
      ["toolcall_delta", 0],
      ["toolcall_end", 1],
      ["toolcall_end", 0],
      ["done", undefined],
    ]);
    expect((await stream.result()).content).toEqual([
      { type: "toolCall", id: "call_a|fc_a", name: "ls", arguments: { path: "x" } },
      { type: "toolCall", id: "call_b|fc_b", name: "ls", arguments: { path: "y" } },
    ]);
  });

  test("deltas of closed and unknown items are ignored", async () => {
    const content = await contentOf(
      textDelta(0, "early"),
      added(0, message),
      textDelta(0, "hi"),
      textDelta(7, "stray"),
      done(0, { ...message, content: [{ type: "output_text", text: "hi" }] }),
      textDelta(0, " late"),
      completed(),
    );
    expect(content).toEqual([{ type: "text", text: "hi", textSignature: '{"id":"msg_1"}' }]);
  });

  test("ids find the items where there are no indexes, and changing ids do not matter where there are", async () => {
    const withoutIndex = await contentOf(
      { type: "response.output_item.added", item: message },
      { type: "response.output_text.delta", item_id: "msg_1", delta: "hi" },
      completed(),
    );
    expect(withoutIndex).toEqual([{ type: "text", text: "hi" }]);
    const changingIds = await contentOf(
      added(0, message),
      { ...textDelta(0, "hi"), item_id: "msg_2" },
      done(0, { ...message, id: "msg_3", content: [{ type: "output_text", text: "hi" }] }),
      completed(),
    );
    expect(changingIds).toEqual([{ type: "text", text: "hi", textSignature: '{"id":"msg_3"}' }]);
  });

  test("kinds that we do not show leave no gap", async () => {
    const content = await contentOf(
      added(0, { type: "web_search_call", id: "ws_1" }),
      done(0, { type: "web_search_call", id: "ws_1" }),
      added(1, message),
      textDelta(1, "hi"),
      completed(),
    );
    expect(content).toEqual([{ type: "text", text: "hi" }]);
  });

  test("an item that is only ever done is read whole", async () => {
    const content = await contentOf(
      done(0, { ...reasoning, summary: [{ type: "summary_text", text: "hm" }] }),
      done(1, { ...message, content: [{ type: "output_text", text: "hi" }] }),
      done(2, { ...call("a"), arguments: '{"path":"x"}' }),
      completed(),
    );
    expect(content).toMatchObject([{ thinking: "hm" }, { text: "hi" }, { id: "call_a|fc_a", arguments: { path: "x" } }]);
  });
});

test("OR-003 a call without an item id has its call id alone, and one without any gets a unique one", async () => {
  const content = await contentOf(
    done(0, { type: "function_call", call_id: "call_a", name: "ls", arguments: "{}" }),
    done(1, { type: "function_call", name: "ls", arguments: "{}" }),
    completed(),
  );
  expect(content).toMatchObject([{ id: "call_a" }, { id: expect.stringMatching(/^call_[a-z0-9]{32}$/) }]);
});

describe("OR-006 reasoning", () => {
  const encrypted = { ...reasoning, encrypted_content: "opaque" };

  test("an empty summary with encrypted content is kept, without the fields that only the server may set", async () => {
    const extras = { ...encrypted, status: "completed", provider_extra: 1 };
    const content = await contentOf(added(0, reasoning), done(0, extras), added(1, message), textDelta(1, "hi"), completed());
    expect(content).toEqual([
      { type: "thinking", thinking: "", thinkingSignature: JSON.stringify(encrypted) },
      { type: "text", text: "hi" },
    ]);
  });

  test("encrypted content that comes with the final response only is added", async () => {
    const summary = [{ type: "summary_text", text: "hm" }];
    const content = await contentOf(
      added(0, reasoning),
      summaryDelta(0, 0, "hm"),
      done(0, { ...reasoning, summary }),
      done(1, { ...message, content: [{ type: "output_text", text: "hi" }] }),
      completed({ output: [encrypted] }),
    );
    expect(content[0]).toEqual({
      type: "thinking",
      thinking: "hm",
      thinkingSignature: JSON.stringify({ type: "reasoning", id: "rs_1", summary, encrypted_content: "opaque" }),
    });
  });
});

test("OR-007 the id and the phase of a message are kept with its text", async () => {
  const content = await contentOf(
    done(0, { ...message, phase: "commentary", content: [{ type: "output_text", text: "hi" }] }),
    completed(),
  );
  expect(content).toEqual([{ type: "text", text: "hi", textSignature: '{"id":"msg_1","phase":"commentary"}' }]);
});

describe("OR-009 arguments", () => {
  const done1 = { type: "response.function_call_arguments.done", output_index: 0, arguments: '{"path":"x"}' };

  test.each([
    { name: "deltas only", events: [argsDelta(0, '{"path"'), argsDelta(0, ':"x"}'), done(0, { ...call("a"), arguments: null })] },
    { name: "arguments.done only", events: [done1, done(0, call("a"))] },
    { name: "output_item.done only", events: [done(0, { ...call("a"), arguments: '{"path":"x"}' })] },
    { name: "a done value that extends the deltas", events: [argsDelta(0, '{"path"'), done1, done(0, call("a"))] },
    {
      name: "an empty done value",
      events: [argsDelta(0, '{"path":"x"}'), { ...done1, arguments: "" }, done(0, { ...call("a"), arguments: "" })],
    },
    { name: "an object instead of its text", events: [done(0, { ...call("a"), arguments: { path: "x" } })] },
    { name: "no end of the item", events: [argsDelta(0, '{"path":"x"}')] },
  ])("$name", async ({ events }) => {
    const content = await contentOf(added(0, call("a")), ...events, completed());
    expect(content).toEqual([{ type: "toolCall", id: "call_a|fc_a", name: "ls", arguments: { path: "x" } }]);
  });
});

describe("OR-010 text", () => {
  test.each([
    { name: "unannounced parts", events: [textDelta(0, "hi"), textDelta(0, " there")] },
    { name: "null content", events: [textDelta(0, "hi there"), done(0, { ...message, content: null })] },
    { name: "a refusal", events: [{ type: "response.refusal.delta", output_index: 0, delta: "hi there" }] },
    {
      name: "a done value that extends the deltas",
      events: [textDelta(0, "hi"), { type: "response.output_text.done", output_index: 0, text: "hi there" }],
    },
  ])("$name", async ({ events }) => {
    expect(await contentOf(added(0, { ...message, content: null }), ...events, completed())).toMatchObject([
      { type: "text", text: "hi there" },
    ]);
  });
});

describe("OR-011 how a response ends", () => {
  const text = [added(0, message), textDelta(0, "hi")];

  test.each([
    { end: { type: "response.completed", response: { status: "completed" } }, reason: "stop" },
    { end: { type: "response.completed" }, reason: "stop" },
    { end: { type: "response.done", response: { status: "completed" } }, reason: "stop" },
    { end: { type: "response.incomplete", response: { incomplete_details: { reason: "max_output_tokens" } } }, reason: "length" },
    {
      end: { type: "response.done", response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } } },
      reason: "length",
    },
  ])("$end.type is $reason", async ({ end, reason }) => {
    const { stream, stoppedAt } = read(...text, end, textDelta(0, "late"));
    expect(await stream.result()).toMatchObject({ stopReason: reason, content: [{ text: "hi" }] });
    // OR-014: nothing is waited for.
    expect(stoppedAt).toBe(2);
  });

  test("completed with calls means that they are to be run", async () => {
    expect((await read(done(0, call("a")), completed()).stream.result()).stopReason).toBe("toolUse");
  });

  test.each([
    {
      type: "response.failed",
      error: { code: "server_error", message: "Busy" },
      code: "overloaded",
      text: "server_error from test: Busy",
    },
    {
      type: "response.failed",
      error: { code: "rate_limit_exceeded", message: "Slow down" },
      code: "rate_limit",
      text: "rate_limit_exceeded from test: Slow down",
    },
    {
      type: "response.failed",
      error: { code: "invalid_prompt", message: "Bad" },
      code: "invalid_request",
      text: "invalid_prompt from test: Bad",
    },
    { type: "response.failed", error: { code: "bio_policy", message: "No" }, code: "refused", text: "bio_policy from test: No" },
    { type: "response.failed", error: null, code: "bad_response", text: "failed from test: no message" },
    { type: "response.done", status: "cancelled", error: null, code: "bad_response", text: "cancelled from test: no message" },
  ])("$text", async ({ type, error, status = "failed", code, text: message }) => {
    const { stream } = read(...text, { type, response: { status, error, usage: { input_tokens: 7 } } });
    expect(failureOf(stream)).toMatchObject({ code, message });
    expect(await stream.result()).toMatchObject({ stopReason: "error", content: [{ text: "hi" }], usage: { input: 7 } });
  });

  test("a content filter is a refusal", () => {
    const { stream } = read({ type: "response.incomplete", response: { incomplete_details: { reason: "content_filter" } } });
    expect(failureOf(stream)).toMatchObject({ code: "refused", retryable: false });
  });
});

test.each([
  { event: { type: "error", code: "server_error", message: "Busy" }, text: "server_error from test: Busy" },
  { event: { type: "error", error: { code: "server_error", message: "Busy" } }, text: "server_error from test: Busy" },
  { event: { type: "error", error: { type: "server_error", message: "Busy" } }, text: "server_error from test: Busy" },
  { event: { error: { message: "Busy" } }, text: "error from test: Busy" },
  { event: { type: "error", code: null }, text: "error from test: no message" },
])("OR-012 $event", ({ event, text }) => {
  expect(failureOf(read(added(0, message), event).stream).message).toBe(text);
});

describe("OR-015 thinking", () => {
  test("parts are joined with a blank line, streamed or not", async () => {
    const summary = [
      { type: "summary_text", text: "First" },
      { type: "summary_text", text: "Second" },
    ];
    const streamed = [summaryDelta(0, 0, "Fi"), summaryDelta(0, 0, "rst"), summaryDelta(0, 1, "Second")];
    for (const events of [streamed, streamed.slice(0, 2), []]) {
      const { stream } = read(added(0, reasoning), ...events, done(0, { ...reasoning, summary }), completed());
      const steps = summarize(checkGrammar(await collect(stream)));
      expect(steps).toContainEqual({ type: "thinking_delta", contentIndex: 0, delta: "First\n\nSecond" });
      expect(steps).toContainEqual({ type: "thinking_end", contentIndex: 0, content: "First\n\nSecond" });
    }
  });

  test("the final summary wins over what was streamed, unless it is empty", async () => {
    const summary = [{ type: "summary_text", text: "Final" }];
    const other = await contentOf(
      added(0, reasoning),
      summaryDelta(0, 0, "Draft"),
      done(0, { ...reasoning, summary }),
      completed(),
    );
    expect(other).toMatchObject([{ thinking: "Final" }]);
    const empty = await contentOf(added(0, reasoning), summaryDelta(0, 0, "Draft"), done(0, reasoning), completed());
    expect(empty).toMatchObject([{ thinking: "Draft" }]);
  });

  test("servers that send the thoughts themselves show those", async () => {
    const content = [{ type: "reasoning_text", text: "hm" }];
    const delta = { type: "response.reasoning_text.delta", output_index: 0, content_index: 0, delta: "hm" };
    expect(await contentOf(added(0, reasoning), delta, done(0, { ...reasoning, content }), completed())).toEqual([
      { type: "thinking", thinking: "hm", thinkingSignature: JSON.stringify({ ...reasoning, content }) },
    ]);
  });
});

describe("OR-018 cost", () => {
  const usage = {
    input_tokens: 1_000_000,
    output_tokens: 1_000_000,
    input_tokens_details: { cached_tokens: 600_000, cache_write_tokens: 100_000 },
    output_tokens_details: { reasoning_tokens: 900_000 },
  };

  test("cached tokens are subtracted from the input, reasoning is inside the output", async () => {
    const { stream } = read(completed({ usage }));
    expect((await stream.result()).usage).toMatchObject({
      input: 300_000,
      cacheRead: 600_000,
      cacheWrite: 100_000,
      output: 1_000_000,
    });
  });

  test.each([
    { requested: undefined, served: "default", factor: 1 },
    { requested: undefined, served: "flex", factor: 0.5 },
    { requested: "priority", served: "flex", factor: 0.5 },
    { requested: "auto", served: "priority", factor: 2 },
    { requested: "flex", served: "default", factor: 0.5 },
    { requested: "priority", served: undefined, factor: 2 },
  ])("$requested asked for, $served served: $factor times the price", async ({ requested, served, factor }) => {
    const { stream } = readFor({ serviceTier: requested }, completed({ usage, service_tier: served }));
    const { cost } = (await stream.result()).usage;
    expect(cost.output).toBe(2 * factor);
    expect(cost.total).toBeCloseTo(3 * factor);
  });
});
