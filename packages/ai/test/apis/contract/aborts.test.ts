import { anthropic, keepOpen, type ProviderServer, startProviderServer } from "@pikit/test-kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stream } from "../../../src/index.ts";
import { testModel } from "../../helpers/models.ts";
import { askWire, Controller, hello, outcomeOf, wireCallId, wires } from "../../helpers/wires.ts";

let server: ProviderServer;

beforeEach(async () => {
  server = await startProviderServer();
});

afterEach(async () => {
  await server.close();
});

describe.each(wires)("$api", (wireCase) => {
  const { wire, streamsArguments } = wireCase;
  const ask = (signal: AbortSignal) => askWire(wireCase, server, { signal });
  const aborted = { stopReason: "aborted", code: "aborted", retryable: false };

  test("AI-004 a signal that is already aborted sends no request", async () => {
    const outcome = await outcomeOf(ask(AbortSignal.abort()));
    expect(outcome).toEqual({ steps: [{ type: "error", reason: "aborted" }], content: [], ...aborted });
    expect(server.requests).toEqual([]);
  });

  test("AI-005 abort before the response begins closes the connection", async () => {
    const { signal, abort } = new Controller();
    server.respond({ after: new Promise(() => {}) });
    const answer = ask(signal);
    const request = await server.nextRequest();
    abort();
    expect(await outcomeOf(answer)).toEqual({ steps: [{ type: "error", reason: "aborted" }], content: [], ...aborted });
    await request.closed;
  });

  test("AI-005 abort mid-text keeps the text and the server sees the connection close", async () => {
    const { signal, abort } = new Controller();
    const { steps = [], ...response } = wire.answer([{ text: ["Hello", " you"] }]);
    const firstDelta = steps.findIndex((step) => typeof step === "string" && step.includes('"Hello"')) + 1;
    server.respond({ ...response, steps: [...steps.slice(0, firstDelta), keepOpen] });
    const answer = ask(signal);
    const outcome = await outcomeOf(answer, (event) => event.type === "text_delta" && abort());
    expect(outcome).toEqual({
      steps: [
        { type: "start" },
        { type: "text_start", contentIndex: 0 },
        { type: "text_delta", contentIndex: 0, delta: "Hello" },
        { type: "error", reason: "aborted" },
      ],
      content: [{ text: "Hello" }],
      ...aborted,
    });
    await (await server.nextRequest()).closed;
  });

  test("AI-005 AI-007 abort mid-arguments keeps what they say so far and leaves no scratch fields behind", async () => {
    const { signal, abort } = new Controller();
    const { steps = [], ...response } = wire.answer([
      { toolCall: "write", deltas: ['{"path":"a.txt"', ',"content":"hello"}'], id: "call_a" },
    ]);
    const firstHalf = steps.findIndex((step) => typeof step === "string" && step.includes("a.txt")) + 1;
    server.respond({ ...response, steps: [...steps.slice(0, firstHalf), keepOpen] });
    const answer = ask(signal);
    const outcome = await outcomeOf(answer, (event) => event.type === "toolcall_delta" && abort());
    // A wire that sends calls whole has no middle: there, the call is complete when the abort comes.
    const rest = streamsArguments ? {} : { content: "hello" };
    const delta = JSON.stringify({ path: "a.txt", ...rest });
    const call = { name: "write", arguments: { path: "a.txt", ...rest } };
    expect(outcome).toEqual({
      steps: [
        { type: "start" },
        { type: "toolcall_start", contentIndex: 0 },
        { type: "toolcall_delta", contentIndex: 0, delta: streamsArguments ? delta.slice(0, -1) : delta },
        ...(streamsArguments ? [] : [{ type: "toolcall_end", contentIndex: 0, toolCall: call }]),
        { type: "error", reason: "aborted" },
      ],
      content: [call],
      ...aborted,
    });
    const [block] = (await answer.result()).content;
    expect(Object.keys(block ?? {}).sort()).toEqual(["arguments", "id", "name", "type"]);
    expect(block?.type === "toolCall" && wireCallId(block.id)).toBe("call_a");
    await (await server.nextRequest()).closed;
  });

  test("AI-005 leaves no listener on the signal", async () => {
    const controller = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = AbortSignal.prototype;
    const signal = Object.assign(controller.signal, {
      addEventListener: (...args: Parameters<typeof addEventListener>) => {
        listeners += 1;
        addEventListener.apply(controller.signal, args);
      },
      removeEventListener: (...args: Parameters<typeof removeEventListener>) => {
        listeners -= 1;
        removeEventListener.apply(controller.signal, args);
      },
    });
    server.respond(wire.text("ok"));
    await ask(signal).result();
    await new Promise(setImmediate);
    expect(listeners).toBe(0);
  });

  test("AI-006 abort after the end changes nothing", async () => {
    const { signal, abort } = new Controller();
    server.respond(wire.text("ok"));
    const answer = ask(signal);
    for await (const event of answer) if (event.type === "done") abort();
    expect((await answer.result()).stopReason).toBe("stop");
  });
});

test("AI-005 AI-013 an abort keeps the usage that came with the start of the answer, and what it cost", async () => {
  const { signal, abort } = new Controller();
  const { steps = [], ...response } = anthropic.answer([{ text: ["Hello", " you"] }], { usage: { input: 100, cacheRead: 50 } });
  const firstDelta = steps.findIndex((step) => typeof step === "string" && step.includes('"Hello"')) + 1;
  server.respond({ ...response, steps: [...steps.slice(0, firstDelta), keepOpen] });
  const cost = { input: 2, output: 0, cacheRead: 1, cacheWrite: 0 };
  const answer = stream(testModel("anthropic-messages", server.url, { cost }), hello, { signal });
  for await (const event of answer) if (event.type === "text_delta") abort();
  expect(await answer.result()).toMatchObject({
    stopReason: "aborted",
    usage: { input: 100, cacheRead: 50, cost: { input: 0.0002, cacheRead: 0.00005, total: 0.00025 } },
  });
});
