import { setImmediate as nextTurn } from "node:timers/promises";
import { assertLinear, everyCut } from "@pikit/test-kit";
import { holdClock } from "@pikit/test-kit/clock";
import { describe, expect, test } from "vitest";
import { readServerSentEvents, type ServerSentEvent } from "../../src/apis/sse.ts";
import { AiError } from "../../src/index.ts";

/** A response whose body is these pieces. `cancelled` settles when the reader lets go of it. */
function respond(
  pieces: (Uint8Array | string)[],
  { contentType = "text/event-stream", keepOpen = false, failure = undefined as unknown } = {},
) {
  const cancelled = Promise.withResolvers<unknown>();
  const waiting = pieces.map((piece) => (typeof piece === "string" ? new TextEncoder().encode(piece) : piece));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = waiting.shift();
      if (piece) controller.enqueue(piece);
      else if (failure !== undefined) controller.error(failure);
      else if (!keepOpen) controller.close();
    },
    cancel: (reason) => cancelled.resolve(reason),
  });
  return { response: new Response(body, { headers: { "content-type": contentType } }), cancelled: cancelled.promise };
}

async function read(pieces: (Uint8Array | string)[], options: Parameters<typeof respond>[1] = {}): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  const { response } = respond(pieces, options);
  await readServerSentEvents(
    response,
    ({ event, data }) => {
      events.push(event === undefined ? { data } : { event, data });
      return undefined;
    },
    { provider: "test" },
  );
  return events;
}

const cases = [
  { name: "comments", input: ": hello\n\n: OPENROUTER PROCESSING\ndata: a\n\n", events: [{ data: "a" }] },
  { name: "several data lines", input: "data: a\ndata: b\n\n", events: [{ data: "a\nb" }] },
  { name: "no space after the colon", input: "event:x\ndata:a\n\n", events: [{ event: "x", data: "a" }] },
  { name: "a leading BOM", input: "\uFEFFdata: a\n\n", events: [{ data: "a" }] },
  { name: "CRLF and CR", input: "data: a\r\n\r\ndata: b\r\rdata: c\n\n", events: [{ data: "a" }, { data: "b" }, { data: "c" }] },
  { name: "several bytes a character", input: 'data: {"t":"é👋🏽你"}\n\n', events: [{ data: '{"t":"é👋🏽你"}' }] },
  { name: "a last event without its blank line", input: "data: a\n\ndata: b\n", events: [{ data: "a" }, { data: "b" }] },
  { name: "a last event without any line end", input: "data: a\n\ndata: b", events: [{ data: "a" }, { data: "b" }] },
  { name: "a last event that ends in CR", input: "data: a\r\n\r\ndata: b\r", events: [{ data: "a" }, { data: "b" }] },
  { name: "events without data", input: "event: ping\n\nid: 5\nretry: 10\n\ndata: a\n\n", events: [{ data: "a" }] },
  { name: "nothing", input: "", events: [] },
];

describe("AI-033", () => {
  test.each(cases)("$name, cut at every byte", async ({ input, events }) => {
    for (const pieces of everyCut(input)) expect(await read(pieces)).toEqual(events);
  });

  test("an event of 1 MB in pieces of 1 KB is read in linear time", async () => {
    await assertLinear(1 << 20, (size) => {
      const text = "x".repeat(size);
      const input = `data: ${text}\n\n`;
      const pieces = Array.from({ length: Math.ceil(input.length / 1024) }, (_, i) => input.slice(i * 1024, (i + 1) * 1024));
      return async () => expect(await read(pieces)).toEqual([{ data: text }]);
    });
  });
});

describe("AI-033 limits", () => {
  const readWith = (pieces: string[], options: { maxEventLength?: number; maxBytes?: number }) => {
    const { response, cancelled } = respond(pieces, { keepOpen: true });
    return { reading: readServerSentEvents(response, () => undefined, { provider: "test", ...options }), cancelled };
  };

  test.each([
    { name: "a line without an end", pieces: ["data: aaaa", "aaaaaaa"] },
    { name: "an event of many lines", pieces: ["data: aaaa\n", "data: aaaa\n", "data: a"] },
    { name: "both at once", pieces: ["data: aaaaa\ndata: aaaaaa\ndata:"] },
  ])("$name", async ({ pieces }) => {
    const { reading, cancelled } = readWith(pieces, { maxEventLength: 10 });
    await expect(reading).rejects.toMatchObject({
      code: "bad_response",
      retryable: false,
      message: "test sent an event of more than 10 characters, which is over the limit; the connection was closed.",
    });
    await cancelled;
  });

  test("a stream of comments", async () => {
    const { reading, cancelled } = readWith([": x\n\n", ": x\n\n", ": x\n\n"], { maxBytes: 14 });
    await expect(reading).rejects.toMatchObject({ code: "bad_response", retryable: false });
    await cancelled;
  });
});

test("stops at the event that says so, in the middle of a piece, and lets go of an open connection", async () => {
  const { response, cancelled } = respond(["data: a\n\ndata: b\n\ndata: c\n\n"], { keepOpen: true });
  const seen: string[] = [];
  await readServerSentEvents(response, ({ data }) => seen.push(data) === 2, { provider: "test" });
  expect(seen).toEqual(["a", "b"]);
  await cancelled;
});

test("an abort cancels the body and ends the reading without an error", async () => {
  const controller = new AbortController();
  const { response, cancelled } = respond(["data: a\n\n"], { keepOpen: true });
  const reading = readServerSentEvents(response, () => void controller.abort("enough"), {
    provider: "test",
    signal: controller.signal,
  });
  await reading;
  expect(await cancelled).toBe("enough");
});

test("a signal that is already aborted reads nothing", async () => {
  const { response, cancelled } = respond(["data: a\n\n"]);
  const seen: string[] = [];
  const signal = AbortSignal.abort("early");
  await readServerSentEvents(response, ({ data }) => void seen.push(data), { provider: "test", signal });
  expect(seen).toEqual([]);
  expect(await cancelled).toBe("early");
});

test("what the callback throws ends the reading and lets go of the connection", async () => {
  const failure = new AiError("refused", "no");
  const { response, cancelled } = respond(["data: a\n\n"], { keepOpen: true });
  const reading = readServerSentEvents(
    response,
    () => {
      throw failure;
    },
    { provider: "test" },
  );
  await expect(reading).rejects.toBe(failure);
  await cancelled;
});

test("a connection that breaks is a network error that names its cause", async () => {
  const failure = new TypeError("terminated", { cause: new Error("other side closed") });
  await expect(read(["data: a\n\n"], { failure })).rejects.toMatchObject({
    code: "network",
    retryable: true,
    message: "No answer from test: terminated: other side closed",
    cause: failure,
  });
});

test.each([
  { contentType: "application/json", body: '{"error":{"message":"nope"}}', quoted: "nope" },
  { contentType: "application/json; charset=utf-8", body: '{"object":"chat.completion"}', quoted: '{"object":"chat.completion"}' },
  { contentType: "text/html", body: "<html><head><title>Log in</title></head></html>", quoted: "Log in" },
  { contentType: "application/json", body: "x".repeat(10_000), quoted: `${"x".repeat(4096)}…` },
])("AI-034 a success with $contentType is an error that quotes it", async ({ contentType, body, quoted }) => {
  await expect(read([body], { contentType })).rejects.toMatchObject({
    code: "bad_response",
    retryable: false,
    status: 200,
    message: `test answered 200 with ${contentType} instead of a stream: ${quoted}`,
  });
});

test("an abort ends the wait for a body that is no stream and does not end", async () => {
  const controller = new AbortController();
  const { response, cancelled } = respond([], { contentType: "application/json", keepOpen: true });
  const reading = readServerSentEvents(response, () => undefined, { provider: "test", signal: controller.signal });
  controller.abort();
  await expect(reading).rejects.toMatchObject({ code: "bad_response" });
  await cancelled;
});

test("servers that do not name the content type are read as a stream", async () => {
  expect(await read(["data: a\n\n"], { contentType: "text/plain" })).toEqual([{ data: "a" }]);
});

test("a response without a body has no events", async () => {
  await readServerSentEvents(new Response(null), () => true, { provider: "test" });
});

describe("AI-032 idleTimeoutMs", () => {
  const limits = { provider: "test", idleTimeoutMs: 60_000 };
  const expected = { code: "network", retryable: true, message: "No answer from test: no event arrived within 60000 ms" };

  test("ends a stream that falls silent, and lets go of the connection", async () => {
    const clock = holdClock();
    const { response, cancelled } = respond(["data: a\n\n"], { keepOpen: true });
    const onEvent = () => void queueMicrotask(() => clock.pass(60_000));
    await expect(readServerSentEvents(response, onEvent, limits)).rejects.toMatchObject(expected);
    await cancelled;
  });

  test.each([": ping\n\n", "event: ping\ndata: {}\n\n", 'data: {"type":"ping"}\n\n'])(
    "ends a stream that only says %j, after three times as long",
    async (ping) => {
      const clock = holdClock();
      let passedMs = 0;
      const { promise: cancelled, resolve: cancel } = Promise.withResolvers<void>();
      // A ping every 20 seconds, when the one before has been read.
      const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
        await nextTurn();
        passedMs += 20_000;
        clock.pass(20_000);
        controller.enqueue(new TextEncoder().encode(ping));
      };
      const body = new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 });
      await expect(readServerSentEvents(new Response(body), () => undefined, limits)).rejects.toMatchObject(expected);
      await cancelled;
      expect(passedMs).toBe(180_000);
    },
  );

  test("leaves no timer behind that could keep a process alive", async () => {
    const before = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const { response } = respond(["data: a\n\n"]);
    await readServerSentEvents(response, () => undefined, { provider: "test", idleTimeoutMs: 60_000 });
    expect(process.getActiveResourcesInfo().filter((kind) => kind === "Timeout")).toHaveLength(before);
  });
});
