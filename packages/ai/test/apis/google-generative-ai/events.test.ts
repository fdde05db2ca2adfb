import { describe, expect, test } from "vitest";
import { GoogleEventReader } from "../../../src/apis/google-generative-ai/events.ts";
import { checkGrammar, collect, summarize } from "../../helpers/events.ts";
import { testModel } from "../../helpers/models.ts";
import { failureOf, replay } from "../../helpers/replay.ts";

const model = testModel("google-generative-ai", "http://localhost");

/** The marker at the end stands for the end of the stream, which no event of this wire announces. */
const end = "end of stream";

function read(...events: unknown[]) {
  const createReader = (...args: ConstructorParameters<typeof GoogleEventReader>) => {
    const reader = new GoogleEventReader(...args);
    return {
      read(data: string): boolean {
        if (data !== end) return reader.read(data);
        reader.finish();
        return true;
      },
    };
  };
  return replay(model, createReader, [...events, end]).stream;
}

const parts = (...list: object[]) => ({ candidates: [{ content: { role: "model", parts: list } }] });
const stop = { candidates: [{ content: { parts: [] }, finishReason: "STOP" }] };
const call = (name: string, fields: object = {}) => ({ functionCall: { name, args: {}, ...fields } });

async function contentOf(...events: unknown[]) {
  const stream = read(...events);
  checkGrammar(await collect(stream));
  return (await stream.result()).content;
}

describe("GG-001 what is thinking", () => {
  test("only what says so; a signature proves nothing", async () => {
    const content = await contentOf(
      parts({ text: "hm", thought: true }),
      parts({ text: "hi", thoughtSignature: "c2lnbmVk" }),
      parts({ text: " again", thought: false }),
      stop,
    );
    expect(content).toEqual([
      { type: "thinking", thinking: "hm", thinkingSignature: "thought" },
      { type: "text", text: "hi again", textSignature: "c2lnbmVk" },
    ]);
  });

  test("thinking, text and calls may alternate", async () => {
    const stream = read(
      parts({ text: "a", thought: true }, { text: "b" }, call("ls"), { text: "c", thought: true }, { text: "d" }),
      stop,
    );
    expect(summarize(checkGrammar(await collect(stream))).flatMap(({ type }) => (type.endsWith("_delta") ? [] : [type]))).toEqual([
      "start",
      "thinking_start",
      "thinking_end",
      "text_start",
      "text_end",
      "toolcall_start",
      "toolcall_end",
      "thinking_start",
      "thinking_end",
      "text_start",
      "text_end",
      "done",
    ]);
  });
});

describe("GG-002 signatures", () => {
  test("are not erased by later pieces of the block, and do not move to another one", async () => {
    const content = await contentOf(
      parts({ text: "a", thought: true, thoughtSignature: "dGhpbms=" }),
      parts({ text: "b", thought: true }),
      parts({ text: "c" }),
      parts({ text: "", thoughtSignature: "dGV4dA==" }),
      parts({ text: "d" }),
      parts({ ...call("ls"), thoughtSignature: "Y2FsbA==" }),
      parts(call("rm")),
      stop,
    );
    expect(content).toMatchObject([
      { thinking: "ab", thinkingSignature: "dGhpbms=" },
      { text: "cd", textSignature: "dGV4dA==" },
      { name: "ls", thoughtSignature: "Y2FsbA==" },
      { name: "rm" },
    ]);
    expect(content[3]).not.toHaveProperty("thoughtSignature");
  });

  test("GG-003 of an empty text behind thoughts are kept, as a text of their own", async () => {
    const content = await contentOf(
      parts({ text: "a", thought: true }),
      parts({ text: "", thoughtSignature: "dGV4dA==" }),
      parts(call("ls", { id: "call_a" })),
      stop,
    );
    expect(content).toEqual([
      { type: "thinking", thinking: "a", thinkingSignature: "thought" },
      { type: "text", text: "", textSignature: "dGV4dA==" },
      { type: "toolCall", id: "call_a", name: "ls", arguments: {} },
    ]);
  });

  test("empty pieces without one open no block", async () => {
    expect(await contentOf(parts({ text: "" }), parts({ text: "hi" }), parts({ text: "", thought: true }), stop)).toEqual([
      { type: "text", text: "hi" },
    ]);
  });
});

test("GG-008 missing and repeated ids are replaced by unique ones", async () => {
  const content = await contentOf(parts(call("a"), call("b", { id: "x" }), call("c", { id: "x" }), call("d", { id: "" })), stop);
  const ids = content.map((block) => (block.type === "toolCall" ? block.id : ""));
  expect(new Set(ids).size).toBe(4);
  expect(ids[1]).toBe("x");
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
});

test("AI-010 calls without arguments, or with null, have none", async () => {
  const content = await contentOf(parts(call("a", { args: undefined }), call("b", { args: null })), stop);
  expect(content).toMatchObject([{ arguments: {} }, { arguments: {} }]);
});

describe("GG-011 finish reasons", () => {
  const ending = (finishReason: string, fields: object = {}) => ({ candidates: [{ finishReason, ...fields }] });

  test.each([
    { name: "STOP", events: [parts({ text: "hi" }), ending("STOP")], reason: "stop" },
    { name: "STOP with calls", events: [parts(call("ls")), ending("STOP")], reason: "toolUse" },
    { name: "MAX_TOKENS", events: [parts({ text: "hi" }), ending("MAX_TOKENS")], reason: "length" },
    { name: "MAX_TOKENS with calls", events: [parts(call("ls")), ending("MAX_TOKENS")], reason: "length" },
    { name: "MAX_TOKENS with nothing", events: [ending("MAX_TOKENS")], reason: "length" },
    {
      name: "STOP in every chunk",
      events: [{ ...ending("STOP", { content: { parts: [{ text: "hi" }] } }) }, stop],
      reason: "stop",
    },
  ])("$name is $reason", async ({ events, reason }) => {
    expect((await read(...events).result()).stopReason).toBe(reason);
  });

  test.each([
    { reason: "SAFETY", code: "refused", retryable: false },
    { reason: "PROHIBITED_CONTENT", code: "refused", retryable: false },
    { reason: "MALFORMED_FUNCTION_CALL", code: "bad_response", retryable: true },
    { reason: "OTHER", code: "bad_response", retryable: false },
    { reason: "OUT_OF_PAPER", code: "bad_response", retryable: false },
  ])("$reason is the error $code", async ({ reason, code, retryable }) => {
    const stream = read(parts({ text: "hi" }), ending(reason, { finishMessage: "Because." }));
    expect(failureOf(stream)).toMatchObject({ code, retryable, message: expect.stringContaining(reason) });
    expect(failureOf(stream).message).toContain("Because.");
    expect((await stream.result()).content).toEqual([{ type: "text", text: "hi" }]);
  });

  test("a prompt that is blocked is a refusal", () => {
    const blocked = { promptFeedback: { blockReason: "SAFETY", blockReasonMessage: "No." } };
    expect(failureOf(read(blocked))).toMatchObject({ code: "refused", message: "test declined to answer (SAFETY): No." });
  });
});

test.each([
  { name: "no finish reason", events: [parts({ text: "hi" })] },
  { name: "a call without finish reason", events: [parts(call("ls"))] },
  { name: "STOP after nothing", events: [stop] },
  { name: "STOP after thoughts only", events: [parts({ text: "hm", thought: true }), stop] },
  { name: "STOP after a signature only", events: [parts({ text: "", thoughtSignature: "dGV4dA==" }), stop] },
])("GG-012 $name is an error that may be retried", ({ events }) => {
  expect(failureOf(read(...events))).toMatchObject({ code: "bad_response", retryable: true });
});

test("GG-013 cached tokens are not input, thoughts are output, and the last count is right", async () => {
  const stream = read(
    { ...parts({ text: "hi" }), usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 1 } },
    {
      ...stop,
      usageMetadata: { promptTokenCount: 100, cachedContentTokenCount: 60, candidatesTokenCount: 7, thoughtsTokenCount: 20 },
    },
  );
  expect((await stream.result()).usage).toMatchObject({ input: 40, cacheRead: 60, cacheWrite: 0, output: 27, totalTokens: 127 });
});

test("chunks without candidates, content or parts are skipped", async () => {
  const odd = [
    null,
    {},
    { candidates: [] },
    { candidates: [null] },
    { candidates: [{}] },
    { candidates: [{ content: {} }] },
    parts({}),
  ];
  expect(await contentOf(...odd, parts({ text: "hi" }), ...odd, stop)).toEqual([{ type: "text", text: "hi" }]);
});
