import type { LanguageModelV2, LanguageModelV3, LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { answerWith } from "../../src/ai-sdk/answer.ts";
import type { AiSdkModel, ModelCall, ModelOutput } from "../../src/index.ts";

/** The models of every version fit without a cast; one that does not is no longer compiled. */
const _v2 = (model: LanguageModelV2): AiSdkModel => model;
const _v3 = (model: LanguageModelV3): AiSdkModel => model;
const _v4 = (model: LanguageModelV4): AiSdkModel => model;

const usage = {
  inputTokens: { total: 110, noCache: 100, cacheRead: 8, cacheWrite: 2 },
  outputTokens: { total: 20, text: 15, reasoning: 5 },
};
const stop = { unified: "stop", raw: "end_turn" } as const;
const finish = (finishReason: { unified: string; raw: string | undefined } = stop) => ({ type: "finish", usage, finishReason });

interface Played {
  model: LanguageModelV4;
  /** What `doStream` was called with. */
  options: () => Record<string, unknown>;
  isCancelled: () => boolean;
}

/** A model that plays these parts. */
function playing(parts: readonly object[], version: AiSdkModel["specificationVersion"] = "v4"): Played {
  let seen: unknown;
  let isCancelled = false;
  const model = {
    ...{ specificationVersion: version, provider: "test", modelId: "m", supportedUrls: {} },
    doGenerate: () => Promise.reject(new Error("not used")),
    async doStream(options: unknown) {
      seen = options;
      const waiting = [...parts];
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        pull(controller) {
          const part = waiting.shift();
          if (part === undefined) controller.close();
          else controller.enqueue(part as LanguageModelV4StreamPart);
        },
        cancel() {
          isCancelled = true;
        },
      });
      return { stream };
    },
  };
  return { model: model as LanguageModelV4, options: () => seen as Record<string, unknown>, isCancelled: () => isCancelled };
}

const signal = new AbortController().signal;
const call: ModelCall = { modelId: "x", context: { messages: [], tools: [] }, options: {}, signal };

async function outputs(model: AiSdkModel, with_: Partial<ModelCall> = {}): Promise<{ events: ModelOutput[]; result: unknown }> {
  const events: ModelOutput[] = [];
  const answer = answerWith(model, { ...call, ...with_ });
  for (;;) {
    const { done, value } = await answer.next();
    if (done) return { events, result: value };
    events.push(value);
  }
}

describe("an answer", () => {
  test("has text, reasoning, streamed calls, the provider's data, usage and the finish reason", async () => {
    const { model } = playing([
      { type: "stream-start", warnings: [] },
      { type: "response-metadata", id: "r" },
      { type: "reasoning-start", id: "0" },
      { type: "reasoning-delta", id: "0", delta: "I must look." },
      { type: "reasoning-delta", id: "0", delta: "", providerMetadata: { anthropic: { signature: "s" } } },
      { type: "reasoning-end", id: "0" },
      { type: "text-start", id: "0", providerMetadata: { openai: { itemId: "i" } } },
      { type: "text-delta", id: "0", delta: "Look" },
      { type: "ping" },
      { type: "tool-input-start", id: "c1", toolName: "read" },
      { type: "tool-input-delta", id: "c1", delta: '{"path":' },
      { type: "text-delta", id: "0", delta: "ing" },
      { type: "text-end", id: "0" },
      { type: "tool-input-delta", id: "c1", delta: '"a"}' },
      { type: "tool-input-end", id: "c1" },
      {
        type: "tool-call",
        toolCallId: "c1",
        toolName: "read",
        input: '{"path":"a"}',
        providerMetadata: { google: { thoughtSignature: "t" } },
      },
      { type: "tool-call", toolCallId: "c2", toolName: "ls", input: "{}" },
      { type: "source", sourceType: "url", id: "s", url: "https://example.org" },
      finish({ unified: "tool-calls", raw: "tool_use" }),
    ]);
    const toolCall = {
      type: "toolCall",
      id: "c1",
      name: "read",
      arguments: {},
      thoughtSignature: '{"google":{"thoughtSignature":"t"}}',
    };
    expect(await outputs(model)).toEqual({
      events: [
        { type: "thinking_start", contentIndex: 0 },
        { type: "thinking_delta", contentIndex: 0, delta: "I must look." },
        { type: "thinking_end", contentIndex: 0, thinkingSignature: '{"anthropic":{"signature":"s"}}' },
        { type: "text_start", contentIndex: 1 },
        { type: "text_delta", contentIndex: 1, delta: "Look" },
        { type: "toolcall_start", contentIndex: 2, id: "c1", toolName: "read" },
        { type: "toolcall_delta", contentIndex: 2, delta: '{"path":' },
        { type: "text_delta", contentIndex: 1, delta: "ing" },
        { type: "text_end", contentIndex: 1, textSignature: '{"openai":{"itemId":"i"}}' },
        { type: "toolcall_delta", contentIndex: 2, delta: '"a"}' },
        { type: "toolcall_end", contentIndex: 2, toolCall },
        { type: "toolcall_start", contentIndex: 3, id: "c2", toolName: "ls" },
        { type: "toolcall_delta", contentIndex: 3, delta: "{}" },
        { type: "toolcall_end", contentIndex: 3 },
      ],
      result: { stopReason: "toolUse", usage: { input: 100, output: 20, cacheRead: 8, cacheWrite: 2 } },
    });
  });

  test("of a model that leaves out ends and calls is complete; what the provider has run, and files, are not", async () => {
    const { model } = playing([
      { type: "tool-call", toolCallId: "web", toolName: "search", input: "{}", providerExecuted: true },
      { type: "tool-result", toolCallId: "web", toolName: "search", result: {} },
      { type: "file", mediaType: "image/png", data: { type: "data", data: "" } },
      { type: "text-start", id: "t" },
      { type: "tool-input-start", id: "c", toolName: "read" },
      finish(),
    ]);
    expect(await outputs(model)).toMatchObject({
      events: [
        { type: "text_start", contentIndex: 0 },
        { type: "text_end", contentIndex: 0, content: expect.stringContaining("image/png") },
        { type: "text_start", contentIndex: 1 },
        { type: "toolcall_start", contentIndex: 2 },
        { type: "text_end", contentIndex: 1 },
        { type: "toolcall_end", contentIndex: 2 },
      ],
      result: { stopReason: "toolUse" },
    });
  });

  test.each([
    [
      "v2",
      "length",
      { inputTokens: 10, outputTokens: 2, totalTokens: 12, cachedInputTokens: 4 },
      { input: 6, output: 2, cacheRead: 4, cacheWrite: 0 },
    ],
    [
      "v2",
      "length",
      { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined },
      { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ],
    [
      "v3",
      { unified: "length" },
      { inputTokens: { total: 10, cacheRead: 4 }, outputTokens: { total: 2 } },
      { input: 6, output: 2, cacheRead: 4, cacheWrite: 0 },
    ],
  ] as const)("of version %s has its finish reason and usage (%j)", async (version, finishReason, counts, expected) => {
    const { model } = playing([{ type: "finish", finishReason, usage: counts }], version);
    expect((await outputs(model)).result).toEqual({ stopReason: "length", usage: expected });
  });

  test.each([
    ["content-filter", { retryable: false }],
    ["error", { retryable: true }],
    ["interrupted", { retryable: true }],
  ])("that finishes with %s fails", async (unified, fields) => {
    const failure = await outputs(playing([finish({ unified, raw: undefined })]).model).catch((error: unknown) => error);
    expect(failure).toMatchObject({ ...fields, message: expect.stringContaining(unified) });
  });

  test("with other reasons ends as usual; without the part finish it has no result", async () => {
    expect((await outputs(playing([finish({ unified: "other", raw: "x" })]).model)).result).toMatchObject({ stopReason: "stop" });
    expect((await outputs(playing([{ type: "text-start", id: "1" }]).model)).result).toBeUndefined();
  });

  test("fails with the error that the provider reports", async () => {
    const thrown = Object.assign(new Error("Overloaded"), { isRetryable: true });
    await expect(outputs(playing([{ type: "error", error: thrown }]).model)).rejects.toBe(thrown);
    await expect(outputs(playing([{ type: "error", error: { message: "No", isRetryable: false } }]).model)).rejects.toMatchObject({
      message: "No",
      isRetryable: false,
    });
    await expect(outputs(playing([{ type: "error", error: "text" }]).model)).rejects.toThrow("text");
  });

  test("that is left early cancels the stream", async () => {
    const { model, isCancelled } = playing([
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "x" },
      finish(),
    ]);
    for await (const _event of answerWith(model, call)) break;
    expect(isCancelled()).toBe(true);
  });
});

describe("the request", () => {
  const at = { timestamp: 1 };
  const png = { type: "image" as const, data: "iVBO", mimeType: "image/png" };
  const answered = {
    ...at,
    ...{ role: "assistant" as const, api: "host", provider: "host", model: "x", stopReason: "toolUse" as const },
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
  };
  const messages: ModelCall["context"]["messages"] = [
    { role: "user", content: "Hi", ...at },
    { role: "user", content: [{ type: "text", text: "Look" }, png], ...at },
    {
      ...answered,
      content: [
        { type: "thinking", thinking: "Hm", thinkingSignature: '{"anthropic":{"signature":"s"}}' },
        { type: "text", text: "I look", textSignature: "of another origin" },
        {
          type: "toolCall",
          id: "c1",
          name: "read",
          arguments: { path: "a" },
          thoughtSignature: '{"google":{"thoughtSignature":"t"}}',
        },
        { type: "toolCall", id: "c2", name: "shot", arguments: {} },
      ],
    },
    {
      role: "toolResult",
      toolCallId: "c1",
      toolName: "read",
      content: [{ type: "text", text: "no such file" }],
      isError: true,
      ...at,
    },
    {
      role: "toolResult",
      toolCallId: "c2",
      toolName: "shot",
      content: [{ type: "text", text: "a picture" }, png],
      isError: false,
      ...at,
    },
  ];
  const tools = [{ name: "read", description: "Reads.", parameters: { type: "object" } }];
  const options = { maxTokens: 9, temperature: 0, reasoning: "off", toolChoice: { tool: "read" } } as const;

  test.each([
    ["v2", "iVBO", { type: "media", data: "iVBO", mediaType: "image/png" }, {}],
    ["v3", "iVBO", { type: "image-data", data: "iVBO", mediaType: "image/png" }, {}],
    [
      "v4",
      { type: "data", data: "iVBO" },
      { type: "file", data: { type: "data", data: "iVBO" }, mediaType: "image/png" },
      { reasoning: "none" },
    ],
  ] as const)("of version %s has the prompt, the tools and the options", async (version, data, image, more) => {
    const played = playing([finish()], version);
    await outputs(played.model, { context: { systemPrompt: "Be brief.", messages, tools }, options });
    expect(played.options()).toEqual({
      ...{ maxOutputTokens: 9, temperature: 0, abortSignal: signal, ...more },
      tools: [{ type: "function", name: "read", description: "Reads.", inputSchema: { type: "object" } }],
      toolChoice: { type: "tool", toolName: "read" },
      prompt: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "Hi" }] },
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "file", mediaType: "image/png", data },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "Hm", providerOptions: { anthropic: { signature: "s" } } },
            { type: "text", text: "I look" },
            {
              type: "tool-call",
              toolCallId: "c1",
              toolName: "read",
              input: { path: "a" },
              providerOptions: { google: { thoughtSignature: "t" } },
            },
            { type: "tool-call", toolCallId: "c2", toolName: "shot", input: {} },
          ],
        },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "error-text", value: "no such file" } },
            {
              type: "tool-result",
              toolCallId: "c2",
              toolName: "shot",
              output: { type: "content", value: [{ type: "text", text: "a picture" }, image] },
            },
          ],
        },
      ],
    });
  });

  test("without tools names none", async () => {
    const played = playing([finish()]);
    await outputs(played.model, { options: { reasoning: "high" } });
    expect(played.options()).toEqual({ prompt: [], reasoning: "high", abortSignal: signal });
  });
});
