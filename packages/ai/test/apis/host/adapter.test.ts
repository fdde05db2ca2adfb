import { holdClock } from "@pikit/test-kit/clock";
import { describe, expect, test } from "vitest";
import {
  AiError,
  complete,
  createHostModel,
  type HostModelCall,
  type HostModelFunction,
  type HostModelOutput,
  type Model,
  record,
  replay,
  stream,
  toHostModel,
} from "../../../src/index.ts";
import { user } from "../../helpers/messages.ts";
import { everythingOf, freshFile, readLines } from "../../recording/recordings.ts";

const context = { messages: [user("Hi")] };
const model = (run: HostModelFunction, fields: Partial<Parameters<typeof createHostModel>[0]> = {}) =>
  createHostModel({ id: "x", ...fields, run });
const say = (delta: string): HostModelOutput[] => [
  { type: "text_start", contentIndex: 0 },
  { type: "text_delta", contentIndex: 0, delta },
  { type: "text_end", contentIndex: 0 },
];
async function* yields(...outputs: HostModelOutput[]) {
  yield* outputs;
}
const stop = { stopReason: "stop" } as const;
const text = (content: string) => [{ type: "text" as const, text: content }];

describe("a model function", () => {
  test.each<[string, HostModelFunction]>([
    ["yields steps and the result", () => yields(...say("Hello"), stop)],
    [
      "returns the result of a generator",
      async function* () {
        yield* say("Hello");
        return stop;
      },
    ],
    ["promises a stream", async () => yields(...say("Hello"), { usage: { input: 1 } }, stop)],
    ["returns the whole content", () => ({ ...stop, content: text("Hello") })],
    ["promises the whole content", async () => ({ ...stop, content: text("Hello") })],
  ])("%s", async (_name, run) => {
    expect(await complete(model(run), context)).toMatchObject({
      stopReason: "stop",
      content: text("Hello"),
      provider: "host",
      model: "x",
    });
  });

  test.each<[string, HostModelFunction, object, string]>([
    [
      "throws at once",
      () => {
        throw new Error("No gateway");
      },
      { code: "invalid_request" },
      "No gateway",
    ],
    [
      "rejects with a flag",
      async () => {
        throw Object.assign(new Error("Busy"), { retryable: true });
      },
      { code: "overloaded", retryable: true },
      "Busy",
    ],
    [
      "fails in the middle",
      async function* () {
        yield* say("He");
        throw Object.assign(new Error("Gone"), { isRetryable: false });
      },
      { retryable: false },
      "Gone",
    ],
    [
      "reports an overflow",
      async () => {
        throw new AiError("context_overflow", "Too long");
      },
      { code: "context_overflow" },
      "Too long",
    ],
    [
      "throws a text",
      async () => {
        throw "just so";
      },
      { code: "invalid_request" },
      "just so",
    ],
    ["has no result", () => yields(...say("Hello")), { code: "invalid_request" }, "ended without a result"],
    ["returns nothing", (async () => undefined) as never, {}, "ended without a result"],
    ["returns something else", (async () => 5) as never, { code: "bad_response" }, "with the stopReason undefined"],
  ])("that %s ends the answer with an error", async (_name, run, failure, message) => {
    const events = stream(model(run), context);
    expect(await events.result()).toMatchObject({ stopReason: "error", errorMessage: expect.stringContaining(message) });
    expect(events.failure).toMatchObject(failure);
  });

  test("gets the history as models read it, the tools, and the options without keys and functions", async () => {
    let seen: HostModelCall | undefined;
    const run: HostModelFunction = (call) => {
      seen = call;
      return { ...stop, content: text("ok") };
    };
    const result = {
      role: "toolResult" as const,
      toolCallId: "1",
      toolName: "read",
      content: text("a"),
      details: { big: 1 },
      isError: false,
      timestamp: 2,
    };
    const answer = await complete(model(run), context, { reasoning: "high", toolChoice: "none" });
    // This model cannot think, and has no tools.
    expect(seen?.options).toEqual({});
    const call = { type: "toolCall" as const, id: "1", name: "read", arguments: {} };
    const tools = [{ name: "read", description: "Reads.", parameters: { type: "object" } as never, execute: () => undefined }];
    await complete(
      model(run, { reasoning: true }),
      {
        systemPrompt: "Be brief.",
        messages: [user("Hi"), { ...answer, content: [call] }, result, { ...answer, stopReason: "error" }],
        tools,
      },
      { apiKey: "secret", headers: { a: "b" }, reasoning: "high", maxTokens: 5, sessionId: "s", fetch: () => Promise.reject() },
    );
    const { signal, ...sent } = seen as HostModelCall;
    const { details: _details, ...plain } = result;
    expect(sent).toEqual({
      modelId: "x",
      context: {
        systemPrompt: "Be brief.",
        messages: [user("Hi"), { ...answer, content: [call] }, plain],
        tools: [{ name: "read", description: "Reads.", parameters: { type: "object" } }],
      },
      options: { reasoning: "high", maxTokens: 5, sessionId: "s" },
    });
    expect(signal.aborted).toBe(false);
    expect(JSON.stringify(sent)).not.toContain("secret");
  });
});

test("an abort ends the answer, aborts the call, and ends a generator that ignores its signal", async () => {
  const isWaiting = Promise.withResolvers<void>();
  const isStopped = Promise.withResolvers<unknown>();
  const run: HostModelFunction = async function* ({ signal }) {
    yield* say("Hello");
    signal.addEventListener("abort", () => isStopped.resolve(signal.reason));
    isWaiting.resolve();
    await isStopped.promise;
    yield { type: "text_start", contentIndex: 1 };
    throw new Error("goes on");
  };
  const controller = new AbortController();
  const events = stream(model(run), context, { signal: controller.signal });
  await isWaiting.promise;
  controller.abort("enough");
  expect(await events.result()).toMatchObject({ stopReason: "aborted", content: text("Hello") });
  expect(await isStopped.promise).toBe("enough");
});

test("a wrong frame aborts the call; frames after the end are ignored", async () => {
  let aborted: boolean[] = [];
  const frames = (list: unknown[]) =>
    toHostModel({ id: "x" }, ({ signal }, receive) => {
      for (const frame of list) receive(frame);
      aborted = [...aborted, signal.aborted];
    });
  await complete(frames([{ type: "host_model_event", event: { type: "text_delta" } }]), context);
  const whole = { type: "host_model_result", ...stop, content: text("A") };
  const message = await complete(frames([whole, whole, { type: "host_model_error", message: "late" }]), context);
  expect(message).toMatchObject({ stopReason: "stop", content: text("A") });
  await complete(frames([{ type: "host_model_error", message: "no" }]), context);
  expect(aborted).toEqual([true, false, false]);
});

test.each([
  ["after ten minutes by default", {}, 600_000],
  ["after the idle limit", { idleTimeoutMs: 60_000 }, 60_000],
  ["after the limit of the first sign", { firstByteTimeoutMs: 30_000 }, 30_000],
])("a host that never ends is given up %s", async (_name, options, limitMs) => {
  const clock = holdClock();
  const begun = Promise.withResolvers<AbortSignal>();
  const silent = toHostModel({ id: "x" }, ({ signal }) => begun.resolve(signal));
  const events = stream(silent, context, options);
  const signal = await begun.promise;
  clock.pass(limitMs - 1);
  expect(signal.aborted).toBe(false);
  clock.pass(1);
  expect(await events.result()).toMatchObject({ stopReason: "error", errorMessage: expect.stringContaining(`${limitMs} ms`) });
  expect(events.failure).toMatchObject({ code: "network", retryable: true });
  expect(signal.aborted).toBe(true);
});

test("a sign of life extends the limit", async () => {
  const clock = holdClock();
  const begun = Promise.withResolvers<(frame: unknown) => void>();
  const slow = toHostModel({ id: "x" }, (_call, receive) => begun.resolve(receive));
  const events = stream(slow, context, { idleTimeoutMs: 60_000, firstByteTimeoutMs: 60_000 });
  const receive = await begun.promise;
  for (let minute = 0; minute < 3; minute += 1) {
    clock.pass(59_000);
    receive({ type: "host_model_event" });
  }
  receive({ type: "host_model_result", ...stop, content: text("At last") });
  expect(await events.result()).toMatchObject({ stopReason: "stop", content: text("At last") });
});

test("a model without its host says so", async () => {
  const lost = JSON.parse(JSON.stringify(model(() => yields()))) as Model;
  expect(await complete(lost, context)).toMatchObject({ errorMessage: expect.stringContaining("host/x has no host") });
});

describe("a recording", () => {
  const answers: HostModelFunction[] = [
    () => yields(...say("In /work/here it is"), { stopReason: "stop", usage: { input: 3, output: 4 } }),
    async () => ({
      stopReason: "toolUse",
      content: [{ type: "toolCall", id: "1", name: "ls", arguments: { path: "/work/here" } }],
    }),
    async function* () {
      // The beginning of the folder, with which the record waits.
      yield* say("Half of /work");
      throw Object.assign(new Error("Busy"), { retryable: true });
    },
  ];

  test("of a host model plays back without the host: content, usage, errors, the folder", async () => {
    const file = await freshFile();
    const live = await Promise.all(
      answers.map(async (run) => everythingOf(stream(await record(model(run), file, { cwd: "/work/here" }), context))),
    );
    const lines = await readLines(file);
    expect(JSON.stringify(lines)).not.toContain("/work/here");
    const played = await replay(file, { cwd: "/work/here" });
    for (const seen of live) expect(await everythingOf(stream(played, context))).toEqual(seen);
  });

  test("of an aborted call plays back as aborted", async () => {
    const file = await freshFile();
    const controller = new AbortController();
    const run: HostModelFunction = async function* () {
      yield* say("Hello");
      controller.abort();
      yield { type: "text_start", contentIndex: 1 };
    };
    const seen = await everythingOf(stream(await record(model(run), file), context, { signal: controller.signal }));
    expect(seen).toMatchObject({ message: { stopReason: "aborted" } });
    expect(await everythingOf(stream(await replay(file), context))).toEqual(seen);
  });
});
