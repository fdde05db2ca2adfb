import { describe, expect, test } from "vitest";
import { OpenAIEventReader } from "../../../src/apis/openai-completions/events.ts";
import { completionsWriter } from "../../../src/apis/openai-completions/request.ts";
import { checkGrammar, collect, summarize } from "../../helpers/events.ts";
import { assistant, user } from "../../helpers/messages.ts";
import { testModel } from "../../helpers/models.ts";
import { failureOf, replay } from "../../helpers/replay.ts";

const { createBody } = completionsWriter;

const model = testModel("openai-completions", "http://localhost");

function read(...events: unknown[]) {
  return replay(model, (assembler, ofModel) => new OpenAIEventReader(assembler, ofModel), events);
}

function delta(fields: object, finish_reason: string | null = null): object {
  return { choices: [{ index: 0, delta: fields, finish_reason }] };
}

function call(piece: object): object {
  return delta({ tool_calls: [piece] });
}

const stop = [delta({}, "stop"), "[DONE]"];
const done = [delta({}, "tool_calls"), "[DONE]"];

async function contentOf(...events: unknown[]) {
  const { stream } = read(...events);
  checkGrammar(await collect(stream));
  return (await stream.result()).content;
}

test("OC-001 usage that follows the finish reason is read", async () => {
  const usage = { prompt_tokens: 12, completion_tokens: 3 };
  const { stream } = read(delta({ content: "hi" }), delta({}, "stop"), { choices: [], usage }, "[DONE]");
  expect((await stream.result()).usage).toMatchObject({ input: 12, output: 3, totalTokens: 15 });
});

test("OC-002 chunks without choices or delta are skipped", async () => {
  const odd = [
    null,
    {},
    { choices: [] },
    { choices: null },
    { choices: [null] },
    { choices: [{ index: 0 }] },
    delta({ content: null }),
  ];
  expect(await contentOf(...odd, delta({ content: "hi" }), ...odd, ...stop)).toEqual([{ type: "text", text: "hi" }]);
});

describe("OC-003 OC-004 finish reasons", () => {
  test.each([
    ["stop", "stop"],
    ["END", "stop"],
    ["length", "length"],
    ["MAX_TOKENS", "length"],
    ["tool_calls", "toolUse"],
    ["function_call", "toolUse"],
  ])("%s is %s", async (wire, reason) => {
    const { stream } = read(delta({ content: "hi" }), delta({}, wire), "[DONE]");
    expect((await stream.result()).stopReason).toBe(reason);
  });

  test.each([
    ["content_filter", "refused", false],
    ["network_error", "overloaded", true],
    ["error", "overloaded", true],
    ["model_context_window_exceeded", "context_overflow", false],
    ["something", "bad_response", false],
  ])("%s is the error %s", async (wire, code, retryable) => {
    const { stream } = read(delta({ content: "hi" }), delta({}, wire), "[DONE]");
    expect(failureOf(stream)).toMatchObject({ code, retryable, message: expect.stringContaining(wire) });
    expect((await stream.result()).content).toEqual([{ type: "text", text: "hi" }]);
  });

  test("OC-003 a stream that ends with [DONE] needs none, as local servers leave it out", async () => {
    const { stream } = read(delta({ content: "hi" }), "[DONE]");
    expect(await stream.result()).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "hi" }] });
  });

  test("OC-003 one that says nothing before [DONE] is an error that may be retried", () => {
    for (const events of [["[DONE]"], [delta({ role: "assistant", content: "" }), "[DONE]"]]) {
      expect(failureOf(read(...events).stream)).toMatchObject({ code: "bad_response", retryable: true });
    }
  });

  test("stop after tool calls means that they are to be run", async () => {
    const { stream } = read(call({ index: 0, id: "a", function: { name: "ls", arguments: "{}" } }), ...stop);
    expect((await stream.result()).stopReason).toBe("toolUse");
  });
});

describe("OC-005 an error inside the stream", () => {
  test.each([
    { error: { message: "Busy", code: 529 }, code: "overloaded", message: "529 from test: Busy" },
    { error: { message: "Busy", type: "server_error", code: null }, code: "overloaded", message: "server_error from test: Busy" },
    { error: { message: "Slow", code: "rate_limit_exceeded" }, code: "rate_limit", message: "rate_limit_exceeded from test: Slow" },
    { error: { message: "Odd", code: "odd" }, code: "bad_response", message: "odd from test: Odd" },
    { error: "plain", code: "bad_response", message: "error from test: plain" },
    {
      error: { message: "Provider returned error", code: 502, metadata: { raw: "upstream text" } },
      code: "overloaded",
      message: "502 from test: Provider returned error (upstream text)",
    },
    {
      error: { message: "It said: upstream text", code: 502, metadata: { raw: "upstream text" } },
      code: "overloaded",
      message: "502 from test: It said: upstream text",
    },
  ])("$message", async ({ error, code, message }) => {
    for (const event of [{ error }, { error, choices: [] }, { choices: [{ error, delta: {} }] }]) {
      const { stream } = read(delta({ content: "hi" }), event);
      expect(failureOf(stream)).toMatchObject({ code, message });
      expect((await stream.result()).content).toEqual([{ type: "text", text: "hi" }]);
    }
  });
});

test("OC-006 interleaved calls do not mix, and ids and names may come late or once", async () => {
  const content = await contentOf(
    call({ index: 0, function: { arguments: '{"a"' } }),
    call({ index: 1, id: "two", function: { name: "second", arguments: "" } }),
    call({ index: 0, id: "one", function: { name: "" } }),
    call({ index: 1, id: "", function: { name: "", arguments: '{"b":' } }),
    call({ index: 0, function: { name: "first", arguments: ":1}" } }),
    call({ index: 1, function: { arguments: "2}" } }),
    ...done,
  );
  expect(content).toEqual([
    { type: "toolCall", id: "two", name: "second", arguments: { b: 2 } },
    { type: "toolCall", id: "one", name: "first", arguments: { a: 1 } },
  ]);
});

test("OC-006 calls whose id never comes get unique ones", async () => {
  const content = await contentOf(
    call({ index: 0, function: { name: "ls", arguments: "{}" } }),
    call({ index: 1, function: { name: "ls", arguments: "{}" } }),
    ...done,
  );
  const ids = content.map((block) => block.type === "toolCall" && block.id);
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{5,40}$/);
});

test("OC-007 the same index with a new id and a new name is a new call", async () => {
  const content = await contentOf(
    call({ index: 0, id: "a", function: { name: "ls", arguments: '{"path":"x"}' } }),
    call({ index: 0, id: "b", function: { name: "ls", arguments: '{"path":"y"}' } }),
    ...done,
  );
  expect(content).toEqual([
    { type: "toolCall", id: "a", name: "ls", arguments: { path: "x" } },
    { type: "toolCall", id: "b", name: "ls", arguments: { path: "y" } },
  ]);
});

test("OC-007 the same index with a changing id and no name is the same call under its first id", async () => {
  const content = await contentOf(
    call({ index: 0, id: "a", function: { name: "ls", arguments: '{"path"' } }),
    call({ index: 0, id: "a2", function: { arguments: ':"x"}' } }),
    ...done,
  );
  expect(content).toEqual([{ type: "toolCall", id: "a", name: "ls", arguments: { path: "x" } }]);
});

test("calls without an index are told apart by id and name", async () => {
  const content = await contentOf(
    call({ id: "a", function: { name: "ls", arguments: '{"path"' } }),
    call({ function: { arguments: ':"x"}' } }),
    call({ id: "b", function: { name: "ls", arguments: "{}" } }),
    ...done,
  );
  expect(content).toMatchObject([
    { id: "a", arguments: { path: "x" } },
    { id: "b", arguments: {} },
  ]);
});

test("OC-008 arguments may be an object, and text and calls may share a delta", async () => {
  const both = { content: "Look: ", tool_calls: [{ index: 0, id: "a", function: { name: "ls", arguments: { path: "x" } } }] };
  const { stream } = read(delta({ content: "" }), delta(both), ...done);
  expect(summarize(checkGrammar(await collect(stream)))).toEqual([
    { type: "start" },
    { type: "text_start", contentIndex: 0 },
    { type: "text_delta", contentIndex: 0, delta: "Look: " },
    { type: "text_end", contentIndex: 0, content: "Look: " },
    { type: "toolcall_start", contentIndex: 1 },
    { type: "toolcall_delta", contentIndex: 1, delta: '{"path":"x"}' },
    { type: "toolcall_end", contentIndex: 1, toolCall: { name: "ls", arguments: { path: "x" } } },
    { type: "done", reason: "toolUse" },
  ]);
});

test.each(["reasoning_content", "reasoning", "reasoning_text"])(
  "OC-009 thinking in %s is read and its field remembered",
  async (field) => {
    const copies = { reasoning_content: "", [field]: "hm" };
    expect(await contentOf(delta(copies), delta({ [field]: " so" }), delta({ content: "hi" }), ...stop)).toEqual([
      { type: "thinking", thinking: "hm so", thinkingSignature: field },
      { type: "text", text: "hi" },
    ]);
  },
);

test("OC-009 of two copies of the thinking one is read", async () => {
  const content = await contentOf(delta({ reasoning_content: "hm", reasoning: "hm" }), delta({ content: "hi" }), ...stop);
  expect(content[0]).toEqual({ type: "thinking", thinking: "hm", thinkingSignature: "reasoning_content" });
});

describe("OC-016 OC-017 usage", () => {
  test.each([
    {
      usage: { prompt_tokens: 100, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 } },
      input: 30,
      cacheRead: 60,
      cacheWrite: 10,
    },
    { usage: { prompt_tokens: 100, completion_tokens: 9, prompt_cache_hit_tokens: 60 }, input: 40, cacheRead: 60, cacheWrite: 0 },
    { usage: { prompt_tokens: 100, completion_tokens: 9, cached_tokens: 60 }, input: 40, cacheRead: 60, cacheWrite: 0 },
    {
      usage: { prompt_tokens: 100, completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 8 } },
      input: 100,
      cacheRead: 0,
      cacheWrite: 0,
    },
    { usage: { prompt_tokens: 10, completion_tokens: 9, cached_tokens: 60 }, input: 0, cacheRead: 60, cacheWrite: 0 },
  ])("$usage", async ({ usage, ...expected }) => {
    for (const last of [{ choices: [], usage }, { choices: [{ index: 0, delta: {}, usage }] }]) {
      const { stream } = read(delta({ content: "hi" }), delta({}, "stop"), last, "[DONE]");
      expect((await stream.result()).usage).toMatchObject({ ...expected, output: 9 });
    }
  });
});

test("OC-027 Mistral's lists of parts are read as thinking and text, and that thinking is not sent back", async () => {
  const content = await contentOf(
    delta({
      content: [
        {
          type: "thinking",
          thinking: [
            { type: "text", text: "Let me " },
            { type: "text", text: "see" },
          ],
        },
      ],
    }),
    delta({
      content: [{ type: "thinking", thinking: [{ type: "text", text: "." }] }, null, { type: "reference", reference_ids: [1] }],
    }),
    delta({
      content: [
        { type: "text", text: "Do" },
        { type: "text", text: "ne" },
      ],
    }),
    delta({ content: "!" }),
    ...stop,
  );
  expect(content).toMatchObject([
    { type: "thinking", thinking: "Let me see." },
    { type: "text", text: "Done!" },
  ]);
  const messages = [user("a"), assistant(model, content), user("b")];
  expect(createBody({ model, context: { messages }, options: {} }).messages[1]).toEqual({ role: "assistant", content: "Done!" });
});

test("OC-009 thinking goes back under the name under which it came", async () => {
  for (const field of ["reasoning_content", "reasoning", "reasoning_text"]) {
    const content = await contentOf(delta({ [field]: "hm" }), delta({ content: "hi" }), ...stop);
    const messages = [user("a"), assistant(model, content), user("b")];
    const sent = createBody({ model, context: { messages }, options: {} }).messages[1];
    expect(sent).toEqual({ role: "assistant", content: "hi", [field]: "hm" });
  }
});

describe("OC-029 an empty answer that ends with length", () => {
  const readFrom = (provider: string, ...events: unknown[]) =>
    replay({ ...model, provider }, (assembler, ofModel) => new OpenAIEventReader(assembler, ofModel), events).stream;
  const empty = [delta({ role: "assistant", content: "" }), delta({}, "length"), "[DONE]"];

  test.each(["ollama", "llama.cpp", "lmstudio"])("means for %s that the window is full", (provider) => {
    expect(failureOf(readFrom(provider, ...empty))).toMatchObject({ code: "context_overflow", retryable: false });
  });

  test("is a cut answer elsewhere, or when there was anything in it", async () => {
    expect((await readFrom("mine", ...empty).result()).stopReason).toBe("length");
    const thought = [delta({ reasoning: "hm" }), delta({}, "length"), "[DONE]"];
    expect((await readFrom("ollama", ...thought).result()).stopReason).toBe("length");
  });
});

test("OC-029 parallel calls that all come at index 0 are all read", async () => {
  const content = await contentOf(
    call({ index: 0, id: "call_a", function: { name: "ls", arguments: '{"path":"a"}' } }),
    call({ index: 0, id: "call_b", function: { name: "ls", arguments: '{"path":"b"}' } }),
    call({ index: 0, id: "call_c", function: { name: "ls", arguments: "{}" } }),
    ...done,
  );
  expect(content).toMatchObject([{ id: "call_a" }, { id: "call_b" }, { id: "call_c", arguments: {} }]);
});
