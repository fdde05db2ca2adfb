import { cut, keepOpen, type ProviderResponse, type ProviderServer, startProviderServer } from "@pikit/test-kit";
import { holdClock } from "@pikit/test-kit/clock";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type AssistantMessageEvent, type Context, record, replay, type StreamOptions, stream } from "../../src/index.ts";
import { conversation, user } from "../helpers/messages.ts";
import { testModel } from "../helpers/models.ts";
import { hello, type WireCase, wires } from "../helpers/wires.ts";
import { everythingOf, freshFile, retime } from "./recordings.ts";

let server: ProviderServer;

beforeEach(async () => {
  server = await startProviderServer();
});

afterEach(async () => {
  await server.close();
});

interface Case {
  name: string;
  respond: (wire: WireCase) => ProviderResponse;
  /** What ends the answer; default nothing but the response. */
  abortAt?: AssistantMessageEvent["type"];
  /** When the clock moves on by a minute, so that the time of `options` is over. */
  waitAt?: AssistantMessageEvent["type"] | "request";
  options?: StreamOptions;
}

const cases: Case[] = [
  { name: "a text", respond: ({ wire }) => wire.text("Hello there, friend") },
  {
    name: "thinking, a text and two tool calls",
    respond: ({ wire }) =>
      wire.answer([
        { thinking: ["Let me ", "see"] },
        { text: "Looking" },
        { toolCall: "read", arguments: { path: "a" } },
        { toolCall: "read", arguments: { path: "b", limit: 5 } },
      ]),
  },
  {
    name: "usage with cache",
    respond: ({ wire }) => wire.answer([{ text: "x" }], { usage: { input: 3, cacheRead: 70, output: 9 } }),
  },
  {
    name: "broken arguments",
    respond: ({ wire, streamsArguments }) => wire.answer([{ toolCall: "ls", deltas: [streamsArguments ? '{"path": "sr' : "{}"] }]),
  },
  { name: "status 400", respond: ({ wire }) => wire.error(400, "no such field") },
  { name: "status 401", respond: ({ wire }) => wire.error(401, "who are you") },
  { name: "an overflow", respond: ({ wire, overflow }) => wire.error(overflow.status, overflow.message) },
  { name: "status 429 with Retry-After", respond: ({ wire }) => wire.error(429, "slow down", { headers: { "retry-after": "7" } }) },
  { name: "status 529", respond: ({ wire }) => wire.error(529, "busy", { headers: { "x-should-retry": "false" } }) },
  {
    name: "a page of markup",
    respond: () => ({ status: 502, headers: { "content-type": "text/html" }, body: "<title>Bad gateway</title>" }),
  },
  { name: "JSON instead of a stream", respond: () => ({ body: { message: "not here" } }) },
  {
    name: "an error in the stream",
    respond: ({ wire, errorEvent }) => wire.answer([{ text: "Half" }], { ending: [event(wire, errorEvent("overloaded"))] }),
  },
  { name: "a cut connection", respond: ({ wire }) => wire.answer([{ text: ["Half ", "an"] }], { ending: [cut] }) },
  { name: "a stream that ends too early", respond: ({ wire }) => wire.answer([{ text: "Half an" }], { ending: [] }) },
  { name: "an event that is cut", respond: ({ wire }) => wire.answer([{ text: "Half an" }], { ending: ['data: {"type":"mess'] }) },
  { name: "a connection that is refused", respond: () => ({ refuse: true }) },
  { name: "an unknown stop reason", respond: ({ wire }) => wire.answer([{ text: "x" }], { stopReason: "out_of_paper" }) },
  {
    name: "an abort in mid-text",
    respond: ({ wire }) => wire.answer([{ text: "And then" }], { ending: [keepOpen] }),
    abortAt: "text_delta",
  },
  {
    name: "a stream that falls silent",
    respond: ({ wire }) => wire.answer([{ text: "And then" }], { ending: [keepOpen] }),
    options: { idleTimeoutMs: 60_000 },
    waitAt: "text_delta",
  },
  {
    name: "no response in time",
    respond: () => ({ after: new Promise(() => {}) }),
    options: { firstByteTimeoutMs: 60_000 },
    waitAt: "request",
  },
];

function event(wire: WireCase["wire"], data: unknown): string {
  return wire.events([data]).steps?.join("") ?? "";
}

describe.each(wires)("$api", (wireCase) => {
  const context: Context = { ...hello, systemPrompt: "Be brief.", tools: [] };

  test.each(cases)("replays $name as it was, without the server", async ({ respond, abortAt, waitAt, options }) => {
    const file = await freshFile();
    const model = await record(testModel(wireCase.api, server.url), file);
    server.respond(respond(wireCase));
    const controller = new AbortController();
    const clock = waitAt === undefined ? undefined : holdClock();
    const onEvent = ({ type }: AssistantMessageEvent) => {
      if (type === abortAt) controller.abort();
      if (type === waitAt) clock?.pass(60_000);
    };
    if (waitAt === "request") void server.nextRequest().then(() => clock?.pass(60_000));
    const live = await everythingOf(stream(model, context, { ...options, signal: controller.signal }), onEvent);
    await server.close();

    const replayed = await replay(file);
    expect(await everythingOf(stream(replayed, context))).toEqual(live);
    server = await startProviderServer();
  });

  test("replays a conversation in order, and then says that it is over", async () => {
    const file = await freshFile();
    const live = testModel(wireCase.api, server.url);
    const model = await record(live, file);
    const later: Context = { messages: conversation(live) };
    server.respond(wireCase.wire.text("First"), wireCase.wire.text("Second"));
    const expected = [await everythingOf(stream(model, hello)), await everythingOf(stream(model, later))];

    const replayed = await replay(file);
    expect([await everythingOf(stream(replayed, hello)), await everythingOf(stream(replayed, later))]).toEqual(expected);
    const answer = stream(replayed, later);
    await answer.result();
    expect(answer.failure).toMatchObject({
      code: "invalid_request",
      retryable: false,
      message: "run.jsonl holds 2 answers, but call 3 needs another one. Record a longer run.",
    });
  });
});

const anthropic = wires[0] as WireCase;

describe("a replay", () => {
  async function recordTexts(...texts: string[]): Promise<string> {
    const file = await freshFile();
    const model = await record(testModel(anthropic.api, server.url), file);
    for (const text of texts) {
      server.respond(anthropic.wire.text(text));
      await stream(model, hello).result();
    }
    return file;
  }

  test("asks no server, needs no key, and has the fields of the recorded model", async () => {
    const file = await freshFile();
    const live = testModel(anthropic.api, server.url, { provider: "anthropic", reasoning: true, headers: { "x-team": "a" } });
    server.respond(anthropic.wire.text("Hi"));
    await stream(await record(live, file), hello, { apiKey: "sk-ant-5ecret" }).result();
    const { recordedModels, ...replayed } = await replay(file);
    const { headers: _left, ...rest } = live;
    expect(JSON.parse(JSON.stringify(replayed))).toEqual(rest);
    expect(recordedModels.map(({ id }) => id)).toEqual(["test-model"]);
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    expect((await stream(replayed, hello).result()).content).toEqual([{ type: "text", text: "Hi" }]);
    expect(server.requests).toHaveLength(1);
    vi.unstubAllEnvs();
  });

  test("waits as long as the provider did when that is asked for", async () => {
    const file = await recordTexts("one two three");
    await retime(file, (index) => 1000 * (index + 1));
    const replayed = await replay(file, { speed: "recorded" });
    await stream(await replay(file), hello).result(); // loads the adapter, which fake timers would not wait for
    vi.useFakeTimers();
    try {
      const start = Date.now();
      const times: [string, number][] = [];
      const reading = (async () => {
        for await (const { type } of stream(replayed, hello)) times.push([type, Date.now() - start]);
      })();
      await vi.advanceTimersByTimeAsync(60_000);
      await reading;
      // The response came after one second, each event one second later; the text's own three are the third to the sixth.
      expect(times).toEqual([
        ["start", 2000],
        ["text_start", 3000],
        ["text_delta", 4000],
        ["text_delta", 5000],
        ["text_delta", 6000],
        ["text_end", 7000],
        ["done", 9000],
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("at recorded speed ends at once when it is aborted", async () => {
    const file = await recordTexts("one two three");
    await retime(file, (index) => (index < 4 ? 0 : 3_600_000));
    const controller = new AbortController();
    const answer = stream(await replay(file, { speed: "recorded" }), hello, { signal: controller.signal });
    for await (const { type } of answer) if (type === "text_delta") controller.abort();
    expect(await answer.result()).toMatchObject({ stopReason: "aborted", content: [{ type: "text", text: "one" }] });
  });

  const differences: { name: string; context: Context; says: string }[] = [
    {
      name: "another text",
      context: {
        messages: [user("hello there, how are you doing on this very long and winding road that never seems to end, my friend?")],
      },
      says: 'message 1 (user), its text: from character 6 on, expected "hello", received "hello there, how are you doing on this very long and winding road that never see…"',
    },
    {
      name: "another role",
      context: { messages: [{ role: "toolResult", toolCallId: "1", toolName: "x", content: [], isError: false, timestamp: 1 }] },
      says: 'message 1: expected user "hello", received toolResult ""',
    },
    {
      name: "a message too many",
      context: { messages: [user("hello"), user("again")] },
      says: 'message 2: expected no further message, received user "again"',
    },
    { name: "no message", context: { messages: [] }, says: 'message 1: expected user "hello", received no further message' },
    {
      name: "another tool",
      context: { ...hello, tools: [{ name: "read", description: "", parameters: {} as never }] },
      says: "the tools: expected none; received read",
    },
  ];

  test.each(differences)("refuses $name, and keeps the answer for the right request", async ({ context, says }) => {
    const file = await recordTexts("Hi");
    const replayed = await replay(file);
    const answer = stream(replayed, context);
    expect((await answer.result()).errorMessage).toBe(
      `The request differs from the one of answer 1 of run.jsonl (line 2) in ${says}. If the new request is correct, record again.`,
    );
    expect(answer.failure).toMatchObject({ code: "invalid_request", retryable: false });
    expect((await stream(replayed, hello).result()).stopReason).toBe("stop");
  });

  test("refuses another model and other tool calls, but not other ids, times and system prompts", async () => {
    const file = await freshFile();
    const live = testModel(anthropic.api, server.url);
    const messages = conversation(live);
    server.respond(anthropic.wire.text("Hi"));
    await stream(await record(live, file), { messages, systemPrompt: "One" }).result();

    const replayed = await replay(file);
    expect((await stream({ ...replayed, id: "other" }, { messages }).result()).errorMessage).toContain(
      'in the model: expected "test-model", received "other".',
    );
    const changed = JSON.parse(JSON.stringify(messages).replace('"path":"b"', '"path":"c"'));
    expect((await stream(replayed, { messages: changed }).result()).errorMessage).toContain(
      String.raw`in message 2 (assistant), its tool calls: from character 35 on, expected "…a\"}), read({\"path\":\"b\"})", received "…a\"}), read({\"path\":\"c\"})".`,
    );
    const renamed = JSON.parse(JSON.stringify(messages).replaceAll("call_", "id_").replaceAll('"timestamp":1', '"timestamp":2'));
    expect((await stream(replayed, { messages: renamed, systemPrompt: "Two" }).result()).stopReason).toBe("stop");
  });

  test("plays several models of one recording, each as itself", async () => {
    const file = await freshFile();
    for (const id of ["small", "big"]) {
      server.respond(anthropic.wire.text(`I am ${id}`));
      await stream(await record(testModel(anthropic.api, server.url, { id }), file), hello).result();
    }
    const { recordedModels } = await replay(file);
    const answers = [];
    for (const model of recordedModels) answers.push(await stream(model, hello).result());
    expect(answers.map(({ model, content }) => [model, content[0]])).toEqual([
      ["small", { type: "text", text: "I am small" }],
      ["big", { type: "text", text: "I am big" }],
    ]);
  });

  test("plays ten thousand events, and an abort gets its turn in between", async () => {
    const file = await freshFile();
    const words = Array.from({ length: 10_000 }, (_, index) => `${index} `);
    const whole = anthropic.wire.answer([{ text: words }]);
    server.respond({ ...whole, steps: [(whole.steps ?? []).join("")] });
    await stream(await record(testModel(anthropic.api, server.url), file), hello).result();
    expect((await stream(await replay(file), hello).result()).content).toEqual([{ type: "text", text: words.join("") }]);
    const controller = new AbortController();
    const answer = stream(await replay(file), hello, { signal: controller.signal });
    setImmediate(() => controller.abort());
    expect((await answer.result()).stopReason).toBe("aborted");
  });
});
