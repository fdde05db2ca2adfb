import { describe, expect, test } from "vitest";
import { AnthropicEventReader } from "../../../src/apis/anthropic-messages/events.ts";
import { checkGrammar, collect, summarize } from "../../helpers/events.ts";
import { testModel } from "../../helpers/models.ts";
import { failureOf, replay } from "../../helpers/replay.ts";

const model = testModel("anthropic-messages", "http://localhost");

function read(...events: unknown[]) {
  return replay(model, (assembler, ofModel) => new AnthropicEventReader(assembler, ofModel), events);
}

const start = { type: "message_start", message: { usage: { input_tokens: 100, cache_read_input_tokens: 50, output_tokens: 1 } } };
const stop = { type: "message_stop" };

function block(index: number, content_block: object, ...deltas: object[]): unknown[] {
  return [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function ending(stop_reason: string | null, rest: object = {}): unknown[] {
  return [{ type: "message_delta", delta: { stop_reason, ...rest }, usage: { output_tokens: 7 } }, stop];
}

const text = block(0, { type: "text", text: "" }, { type: "text_delta", text: "hi" });

test("AN-006 signature pieces join into the block's signature and are no text", async () => {
  const { stream } = read(
    start,
    ...block(
      0,
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking: "hm" },
      { type: "signature_delta", signature: "abc" },
      { type: "signature_delta", signature: "def" },
    ),
    ...ending("end_turn"),
  );
  expect(summarize(checkGrammar(await collect(stream)))).toEqual([
    { type: "start" },
    { type: "thinking_start", contentIndex: 0 },
    { type: "thinking_delta", contentIndex: 0, delta: "hm" },
    { type: "thinking_end", contentIndex: 0, content: "hm" },
    { type: "done", reason: "stop" },
  ]);
  expect((await stream.result()).content).toEqual([{ type: "thinking", thinking: "hm", thinkingSignature: "abcdef" }]);
});

test("AN-007 redacted thinking is kept with its opaque data", async () => {
  const { stream } = read(start, ...block(0, { type: "redacted_thinking", data: "secret" }), ...ending("end_turn"));
  expect((await stream.result()).content).toEqual([
    { type: "thinking", thinking: "", thinkingSignature: "secret", redacted: true },
  ]);
});

test("AN-011 usage of the start is kept where the end leaves it out or has null", async () => {
  const cases = [{ output_tokens: 7 }, { input_tokens: null, cache_read_input_tokens: null, output_tokens: 7 }];
  for (const usage of cases) {
    const { stream } = read(start, ...text, { type: "message_delta", delta: { stop_reason: "end_turn" }, usage }, stop);
    expect((await stream.result()).usage).toMatchObject({ input: 100, cacheRead: 50, output: 7, cacheWrite: 0, totalTokens: 157 });
  }
  const { stream } = read(start, ...text, { type: "message_delta", delta: { stop_reason: "end_turn" } }, stop);
  expect((await stream.result()).usage).toMatchObject({ input: 100, cacheRead: 50, output: 1, totalTokens: 151 });
});

test("AI-012 what is kept for an hour costs twice the input, the rest the model's price for writing", async () => {
  const usage = { input_tokens: 0, cache_creation_input_tokens: 3000, output_tokens: 0 };
  const split = { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 2000 };
  const started = (extra: object) => ({ type: "message_start", message: { usage: { ...usage, ...extra } } });
  const costOf = async (extra: object) => {
    const { stream } = read(started(extra), ...text, ...ending("end_turn"));
    const { cost, cacheWrite } = (await stream.result()).usage;
    return { cacheWrite, cost: cost.cacheWrite };
  };
  // The test model has an input price of 1 and a price of 4 for writing.
  expect(await costOf({})).toEqual({ cacheWrite: 3000, cost: 0.012 });
  expect(await costOf({ cache_creation: split })).toEqual({ cacheWrite: 3000, cost: 0.008 });
  expect(await costOf({ cache_creation: null })).toEqual({ cacheWrite: 3000, cost: 0.012 });
});

test("AN-018 the names of tools come back as the tools have them", async () => {
  const { stream } = replay(model, (assembler, ofModel) => new AnthropicEventReader(assembler, ofModel, () => "files.read"), [
    start,
    ...block(0, { type: "tool_use", id: "a", name: "files_read_1", input: {} }),
    ...ending("tool_use"),
  ]);
  expect((await stream.result()).content).toEqual([{ type: "toolCall", id: "a", name: "files.read", arguments: {} }]);
});

test("AI-013 usage that came before an error stays", async () => {
  const { stream } = read(start, ...text, { type: "error", error: { type: "api_error", message: "Oops" } });
  expect(await stream.result()).toMatchObject({ stopReason: "error", usage: { input: 100, cacheRead: 50 } });
});

describe("AN-012 stop reasons", () => {
  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["pause_turn", "stop"],
    ["max_tokens", "length"],
    ["tool_use", "toolUse"],
    [null, "stop"],
  ])("%s is %s", async (wire, reason) => {
    const { stream } = read(start, ...text, ...ending(wire));
    expect((await stream.result()).stopReason).toBe(reason);
  });

  test.each(["refusal", "sensitive"])("%s is an error with the provider's explanation, and not retryable", async (reason) => {
    const { stream } = read(start, ...text, ...ending(reason, { stop_details: { explanation: "Not this one." } }));
    expect(failureOf(stream)).toMatchObject({
      code: "refused",
      retryable: false,
      message: expect.stringContaining("Not this one."),
    });
    expect((await stream.result()).content).toEqual([{ type: "text", text: "hi" }]);
  });

  test("model_context_window_exceeded is an overflow", () => {
    expect(failureOf(read(start, ...text, ...ending("model_context_window_exceeded")).stream).code).toBe("context_overflow");
  });
});

describe("AN-014 an error inside the stream is classified by its type", () => {
  test.each([
    { type: "overloaded_error", code: "overloaded", status: 529, retryable: true },
    { type: "api_error", code: "overloaded", status: 500, retryable: true },
    { type: "rate_limit_error", code: "rate_limit", status: 429, retryable: true },
    { type: "invalid_request_error", code: "invalid_request", status: 400, retryable: false },
    { type: "new_error", code: "bad_response", status: undefined, retryable: true },
  ])("$type", ({ type, ...expected }) => {
    const { stream } = read(start, ...text, { type: "error", error: { type, message: "Sorry" } });
    expect(failureOf(stream)).toMatchObject({ ...expected, message: `${type} from test: Sorry` });
  });
});

test("AN-015 a call without argument text has the input of its start, or none", async () => {
  const { stream } = read(
    start,
    ...block(0, { type: "tool_use", id: "a", name: "ls", input: { path: "src" } }),
    ...block(1, { type: "tool_use", id: "b", name: "ls", input: {} }, { type: "input_json_delta", partial_json: "" }),
    ...block(2, { type: "tool_use", id: "c", name: "ls" }),
    ...ending("tool_use"),
  );
  expect((await stream.result()).content).toEqual([
    { type: "toolCall", id: "a", name: "ls", arguments: { path: "src" } },
    { type: "toolCall", id: "b", name: "ls", arguments: {} },
    { type: "toolCall", id: "c", name: "ls", arguments: {} },
  ]);
});

test("AN-016 gaps and unknown kinds of blocks do not shift the others", async () => {
  const { stream } = read(
    start,
    ...block(0, { type: "server_tool_use", id: "s", name: "web_search" }, { type: "input_json_delta", partial_json: "{}" }),
    ...block(3, { type: "text", text: "" }, { type: "text_delta", text: "one" }, { type: "citations_delta", citation: {} }),
    ...block(7, { type: "text", text: "two" }),
    { type: "ping" },
    { type: "something_new" },
    ...ending("end_turn"),
  );
  expect(summarize(checkGrammar(await collect(stream))).filter((step) => step.type === "text_end")).toEqual([
    { type: "text_end", contentIndex: 0, content: "one" },
    { type: "text_end", contentIndex: 1, content: "two" },
  ]);
});

test("says which event is the last, so that the connection can be let go", () => {
  expect(read(start, ...text, ...ending("end_turn"), { type: "ping" })).toMatchObject({ stoppedAt: 6 - 1 });
});
