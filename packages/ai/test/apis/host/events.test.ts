import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HostFrameReader } from "../../../src/apis/host/events.ts";
import {
  type AssistantMessage,
  AssistantMessageEventStream,
  complete,
  type HostModelFrame,
  isAiError,
  MessageAssembler,
  priceUsage,
  stream,
  toHostModel,
} from "../../../src/index.ts";
import { assemble, hostModel, legalAnswer, toFrames } from "./answers.ts";

const context = { messages: [{ role: "user" as const, content: "Hi", timestamp: 1 }] };

/** A model that answers each call with these frames at once. */
const answering = (frames: readonly unknown[]) =>
  toHostModel(hostModel, (_call, receive) => {
    for (const frame of frames) receive(frame);
  });

const withoutTime = ({ timestamp: _time, ...message }: AssistantMessage) => message;
const event = (fields: object) => ({ type: "host_model_event", event: fields });
const end = { type: "host_model_result", stopReason: "stop" };
const at = { contentIndex: 0 };
const text = [event({ type: "text_start", ...at }), event({ type: "text_delta", ...at, delta: "Hi" })];
const closed = [...text, event({ type: "text_end", ...at })];

test("a legal stream gives the message that an adapter makes of the same content", async () => {
  await fc.assert(
    fc.asyncProperty(legalAnswer, async (answer) => {
      // As they come through a pipe.
      const frames = toFrames(answer).map((frame) => JSON.parse(JSON.stringify(frame)) as unknown);
      const message = await complete(answering(frames), context);
      expect(withoutTime(message)).toEqual(withoutTime(assemble(answer, priceUsage(hostModel, answer.usage))));
    }),
    { numRuns: 300 },
  );
});

test("the same content without a stream gives the same message", async () => {
  await fc.assert(
    fc.asyncProperty(legalAnswer, async (answer) => {
      const whole = assemble(answer, priceUsage(hostModel, answer.usage));
      const { content } = whole;
      const { stopReason } = answer;
      const message = await complete(answering([{ type: "host_model_result", stopReason, content, usage: answer.usage }]), context);
      expect(withoutTime(message)).toEqual(withoutTime(whole));
    }),
    { numRuns: 200 },
  );
});

/** Damages a legal stream so that it is illegal. */
const damages: Record<string, (frames: HostModelFrame[], at: number) => unknown[]> = {
  "a doubled start or end": (frames, index) => {
    const edges = frames.flatMap((frame, place) => (/"(?:\w+_start|\w+_end)"/.test(JSON.stringify(frame)) ? [place] : []));
    const place = edges[index % edges.length] as number;
    return frames.toSpliced(place, 0, frames[place] as HostModelFrame);
  },
  "a lost start or end": (frames, index) => {
    const edges = frames.flatMap((frame, place) => (/"(?:\w+_start|\w+_end)"/.test(JSON.stringify(frame)) ? [place] : []));
    return frames.toSpliced(edges[index % edges.length] as number, 1);
  },
  "a frame of another shape": (frames, index) =>
    frames.toSpliced(index % frames.length, 1, { type: "host_model_event", event: { type: "text" } } as never),
  "no object": (frames, index) => frames.toSpliced(index % frames.length, 0, "text" as never),
};

test.each(Object.keys(damages))("%s ends the answer with an error, and never hangs", async (name) => {
  await fc.assert(
    fc.asyncProperty(legalAnswer, fc.nat(1000), async (answer, index) => {
      fc.pre(answer.blocks.length > 0);
      const events = stream(answering(damages[name]?.(toFrames(answer), index) ?? []), context);
      const message = await events.result();
      expect(message).toMatchObject({ stopReason: "error", errorMessage: expect.stringContaining("The host of host/x sent ") });
      expect(events.failure).toMatchObject({ code: "bad_response", retryable: false });
    }),
    { numRuns: 150 },
  );
});

test("random frames end in an error or in an answer, and never throw anything else", () => {
  const key = fc.constantFrom(
    "type",
    "event",
    "usage",
    "content",
    "stopReason",
    "message",
    "contentIndex",
    "delta",
    "id",
    "toolName",
    "toolCall",
  );
  const word = fc.constantFrom<unknown>(
    ...["host_model_event", "host_model_result", "host_model_error", "text_start", "text_delta", "text_end"],
  );
  const words = fc.constantFrom<unknown>("toolcall_start", "toolcall_end", "stop", "toolUse", "text", 0, 1, -1, null, true, "");
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      word,
      words,
      fc.dictionary(key, tie("value"), { maxKeys: 5 }),
      fc.array(tie("value"), { maxLength: 3 }),
    ),
  }));
  fc.assert(
    fc.property(fc.array(value, { maxLength: 12 }), (frames) => {
      const assembler = new MessageAssembler(hostModel, new AssistantMessageEventStream());
      const reader = new HostFrameReader(assembler, hostModel);
      try {
        for (const frame of frames) if (reader.read(frame)) break;
      } catch (error) {
        if (!isAiError(error)) throw error;
      }
    }),
    { numRuns: 2000 },
  );
});

describe("a wrong frame is named", () => {
  test.each<[string, unknown[], string]>([
    [
      "a delta without a start",
      [event({ type: "text_delta", ...at, delta: "x" })],
      "sent text_delta for contentIndex 0, which is not an open text block",
    ],
    [
      "a delta of another kind",
      [...text, event({ type: "thinking_delta", ...at, delta: "x" })],
      "sent thinking_delta for contentIndex 0",
    ],
    ["a delta after the end", [...closed, event({ type: "text_delta", ...at, delta: "x" })], "which is not an open text block"],
    [
      "a start out of order",
      [event({ type: "text_start", contentIndex: 1 })],
      "sent text_start with contentIndex 1; the next block has the index 0",
    ],
    ["a block that does not end", [...text, end], "sent a host_model_result before the end of block 0 (text)"],
    ["a lost delta", [...text, event({ type: "text_end", ...at, content: "Hi there" })], "some of them may be lost"],
    ["content twice", [...closed, { ...end, content: [] }], "content after events"],
    ["a step of snapshots", [event({ type: "start" })], '"start", which is no step of the stream mode "deltas"'],
    ["a frame of another type", [{ type: "host_tool_result" }], 'the type "host_tool_result"; expected host_model_event,'],
    ["an unknown stop reason", [{ ...end, stopReason: "error" }], '"error"; expected "stop", "length" or "toolUse"'],
    ["toolUse without a call", [...closed, { ...end, stopReason: "toolUse" }], "but the answer has no tool call"],
    ["a delta that is no text", [...text, event({ type: "text_delta", ...at, delta: 5 })], 'Field "delta" must be a string'],
    [
      "a call without a name",
      [event({ type: "toolcall_start", ...at, id: "1" })],
      'Field "toolName" must be a string, but is missing',
    ],
    ["negative tokens", [{ ...end, usage: { input: -1 } }], 'Field "usage.input" must be a number that is not negative'],
    ["a cost that is a text", [{ ...end, usage: { cost: { total: "1" } } }], 'Field "usage.cost.total"'],
    ["content of another kind", [{ ...end, content: [{ type: "image" }] }], 'content.0 has the type "image"'],
    ["an error without a message", [{ type: "host_model_error" }], 'Field "message" must be a string, but is missing'],
    [
      "the end of another call",
      [
        event({ type: "toolcall_start", ...at, id: "1", toolName: "a" }),
        event({ type: "toolcall_end", ...at, toolCall: { id: "2", name: "a" } }),
      ],
      'for "a" ("2"), but its start named "a" ("1")',
    ],
  ])("%s", async (_name, frames, said) => {
    const { stopReason, errorMessage } = await complete(answering(frames), context);
    expect([stopReason, errorMessage]).toEqual(["error", expect.stringContaining(said)]);
  });
});

test("absent and null fields are the same", async () => {
  const frames = [
    event({ type: "text_start", ...at }),
    { type: "host_model_event", event: null, usage: null },
    event({ type: "text_end", ...at, content: null, textSignature: null }),
    { type: "host_model_result", stopReason: "stop", usage: { input: null, cost: null }, content: null },
  ];
  expect(await complete(answering(frames), context)).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "" }] });
});

test("content at the end of a block is its content if there were no deltas", async () => {
  const call = { type: "toolCall", id: "1", name: "read", arguments: { path: "a" }, thoughtSignature: "s" };
  const frames = [
    event({ type: "text_start", contentIndex: 0 }),
    event({ type: "text_end", contentIndex: 0, content: "Hi" }),
    event({ type: "toolcall_start", contentIndex: 1, id: "1", toolName: "read" }),
    event({ type: "toolcall_end", contentIndex: 1, toolCall: call }),
    end,
  ];
  const { content, stopReason } = await complete(answering(frames), context);
  expect([content, stopReason]).toEqual([[{ type: "text", text: "Hi" }, call], "toolUse"]);
});

test("the host's cost counts instead of the model's prices; its missing sum is added up", async () => {
  const usage = { input: 1000, output: 10, cost: { input: 1, output: 2 } };
  const message = await complete(
    answering([{ type: "host_model_event", usage: { input: 5 } }, ...closed, { ...end, usage }]),
    context,
  );
  expect(message.usage).toEqual({
    ...{ input: 1000, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: 1010 },
    cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, total: 3 },
  });
});

test.each([
  [
    { message: "Try later", retryable: true },
    { code: "overloaded", retryable: true },
  ],
  [
    { message: "No such model", retryable: false },
    { code: "invalid_request", retryable: false },
  ],
  [
    { message: "Too long", overflow: true },
    { code: "context_overflow", retryable: false },
  ],
  [{ message: "prompt is too long: 200001 tokens" }, { code: "context_overflow", retryable: false }],
  [{ message: "prompt is too long", retryable: false }, { code: "context_overflow" }],
  [{ message: "prompt is too long", overflow: false, retryable: true }, { code: "overloaded" }],
  [{ message: "overloaded, come again" }, { code: "overloaded", retryable: true }],
  [
    { message: "Some other problem", retryable: null },
    { code: "invalid_request", retryable: false },
  ],
])("the failure %j is %j", async (failure, expected) => {
  const events = stream(answering([{ type: "host_model_error", ...failure }]), context);
  expect((await events.result()).errorMessage).toContain(failure.message);
  expect(events.failure).toMatchObject(expected);
});

test("frames without end are stopped at the limit", () => {
  const reader = new HostFrameReader(new MessageAssembler(hostModel, new AssistantMessageEventStream()), hostModel, 1000);
  reader.read(text[0]);
  const flood = () => {
    for (;;) reader.read(event({ type: "text_delta", ...at, delta: "" }));
  };
  expect(flood).toThrow("sent more than 1000 characters for one answer");
});
