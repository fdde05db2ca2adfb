import { assertLinear, byteByByte, everyCut, type ProviderServer, startProviderServer } from "@pikit/test-kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkGrammar, collect, summarize } from "../../helpers/events.ts";
import { askWire, isLongRun, outcomeOf, wholeAtOnce, wireCallId, wires } from "../../helpers/wires.ts";

let server: ProviderServer;

beforeEach(async () => {
  server = await startProviderServer();
});

afterEach(async () => {
  await server.close();
});

describe.each(wires)("$api", (wireCase) => {
  const { api, wire, lengthReason, streamsArguments, countsCacheWrites } = wireCase;
  const ask = () => askWire(wireCase, server);

  test("AI-001 streams a text as it comes", async () => {
    server.respond(wire.text("Hello there, friend"));
    const events = checkGrammar(await collect(ask()));
    const deltas = events.filter((event) => event.type === "text_delta").map((event) => event.delta);
    expect(deltas).toEqual(["Hello", " there,", " friend"]);
    expect(summarize(events)).toEqual([
      { type: "start" },
      { type: "text_start", contentIndex: 0 },
      { type: "text_delta", contentIndex: 0, delta: "Hello there, friend" },
      { type: "text_end", contentIndex: 0, content: "Hello there, friend" },
      { type: "done", reason: "stop" },
    ]);
  });

  test("AI-001 streams thinking, then text", async () => {
    server.respond(wire.answer([{ thinking: ["Let me ", "see"] }, { text: "Done" }]));
    expect(await outcomeOf(ask())).toEqual({
      steps: [
        { type: "start" },
        { type: "thinking_start", contentIndex: 0 },
        { type: "thinking_delta", contentIndex: 0, delta: "Let me see" },
        { type: "thinking_end", contentIndex: 0, content: "Let me see" },
        { type: "text_start", contentIndex: 1 },
        { type: "text_delta", contentIndex: 1, delta: "Done" },
        { type: "text_end", contentIndex: 1, content: "Done" },
        { type: "done", reason: "stop" },
      ],
      content: [{ thinking: "Let me see" }, { text: "Done" }],
      stopReason: "stop",
    });
  });

  test("AI-001 AI-007 streams a tool call after a text", async () => {
    server.respond(wire.answer([{ text: "Looking" }, { toolCall: "bash", arguments: { command: "ls -la" }, id: "call_a" }]));
    const answer = ask();
    expect(await outcomeOf(answer)).toEqual({
      steps: [
        { type: "start" },
        { type: "text_start", contentIndex: 0 },
        { type: "text_delta", contentIndex: 0, delta: "Looking" },
        { type: "text_end", contentIndex: 0, content: "Looking" },
        { type: "toolcall_start", contentIndex: 1 },
        { type: "toolcall_delta", contentIndex: 1, delta: '{"command":"ls -la"}' },
        { type: "toolcall_end", contentIndex: 1, toolCall: { name: "bash", arguments: { command: "ls -la" } } },
        { type: "done", reason: "toolUse" },
      ],
      content: [{ text: "Looking" }, { name: "bash", arguments: { command: "ls -la" } }],
      stopReason: "toolUse",
    });
    const call = (await answer.result()).content[1];
    expect(Object.keys(call ?? {}).sort()).toEqual(["arguments", "id", "name", "type"]);
    expect(call?.type === "toolCall" && wireCallId(call.id)).toBe("call_a");
  });

  test("AI-001 streams two parallel tool calls", async () => {
    server.respond(
      wire.answer([
        { toolCall: "read", arguments: { path: "a" } },
        { toolCall: "read", arguments: { path: "b", limit: 5 } },
      ]),
    );
    const answer = ask();
    expect((await outcomeOf(answer)).steps).toEqual([
      { type: "start" },
      { type: "toolcall_start", contentIndex: 0 },
      { type: "toolcall_delta", contentIndex: 0, delta: '{"path":"a"}' },
      { type: "toolcall_end", contentIndex: 0, toolCall: { name: "read", arguments: { path: "a" } } },
      { type: "toolcall_start", contentIndex: 1 },
      { type: "toolcall_delta", contentIndex: 1, delta: '{"path":"b","limit":5}' },
      { type: "toolcall_end", contentIndex: 1, toolCall: { name: "read", arguments: { path: "b", limit: 5 } } },
      { type: "done", reason: "toolUse" },
    ]);
    const ids = (await answer.result()).content.map((block) => block.type === "toolCall" && block.id);
    expect(new Set(ids).size).toBe(2);
  });

  test("AI-010 a tool call without arguments has none", async () => {
    server.respond(wire.answer([{ toolCall: "ls", deltas: [""] }]));
    expect(await outcomeOf(ask())).toMatchObject({ content: [{ name: "ls", arguments: {} }], stopReason: "toolUse" });
  });

  test.runIf(streamsArguments)("AI-010 a tool call with broken arguments says so", async () => {
    server.respond(wire.answer([{ toolCall: "ls", deltas: ['{"path": "sr'] }]));
    expect((await outcomeOf(ask())).content).toEqual([
      { name: "ls", arguments: { path: "sr" }, argumentsError: expect.stringContaining("not valid JSON") },
    ]);
  });

  test("AI-011 AI-012 counts each token once and prices it", async () => {
    const cacheWrite = countsCacheWrites ? 100 : 0;
    const usage = { input: 1000, output: 500, cacheRead: 2000, cacheWrite };
    server.respond(wire.text("ok", { usage }));
    const message = await ask().result();
    const writes = (cacheWrite * 4) / 1e6;
    expect(message.usage).toEqual({
      ...usage,
      totalTokens: 3500 + cacheWrite,
      cost: { input: 0.001, output: 0.001, cacheRead: 0.001, cacheWrite: writes, total: expect.closeTo(0.003 + writes, 10) },
    });
  });

  test("AI-019 keeps the requested model id when the response names a snapshot", async () => {
    server.respond(wire.text("ok"));
    expect(await ask().result()).toMatchObject({ model: "test-model", provider: "test", api, stopReason: "stop" });
  });

  test("an answer that reached its limit ends for its length", async () => {
    server.respond(wire.text("And so", { stopReason: lengthReason }));
    expect(await outcomeOf(ask())).toEqual({
      steps: [
        { type: "start" },
        { type: "text_start", contentIndex: 0 },
        { type: "text_delta", contentIndex: 0, delta: "And so" },
        { type: "text_end", contentIndex: 0, content: "And so" },
        { type: "done", reason: "length" },
      ],
      content: [{ text: "And so" }],
      stopReason: "length",
    });
  });

  test("AI-033 the same events come out when every byte arrives alone", async () => {
    const response = unicodeAnswer();
    server.respond(response, byteByByte(response));
    const whole = await outcomeOf(ask());
    expect(await outcomeOf(ask())).toEqual(whole);
  });

  test.runIf(isLongRun)("AI-033 the same events come out wherever the bytes are cut in two", async () => {
    const response = wholeAtOnce(unicodeAnswer());
    server.respond(response);
    const whole = await outcomeOf(ask());
    for (const steps of everyCut(String(response.steps?.[0]))) {
      server.respond({ ...response, steps });
      expect(await outcomeOf(ask())).toEqual(whole);
    }
  });

  const deltaCount = isLongRun ? 100_000 : 10_000;

  test(`AI-008 ${deltaCount} deltas are streamed at a constant pace`, async () => {
    await assertLinear(deltaCount, (count) => {
      server.respond(wholeAtOnce(wire.answer([{ text: Array.from({ length: count }, () => "word ") }])));
      return async () => {
        const events = await collect(ask());
        expect(events.filter((event) => event.type === "text_delta")).toHaveLength(count);
      };
    });
  });

  const argumentsSize = isLongRun ? 2048 : 512;

  test(`AI-008 ${argumentsSize} KB of tool arguments in deltas of 1 KB take linear time`, async () => {
    await assertLinear(argumentsSize, (kilobytes) => {
      const text = JSON.stringify({ path: "a.txt", content: "0123456789abcd\n".repeat(kilobytes * 64) }).slice(0, -2);
      const whole = `${text.slice(0, kilobytes * 1024 - 2)}"}`;
      const deltas = Array.from({ length: kilobytes }, (_, i) => whole.slice(i * 1024, (i + 1) * 1024));
      server.respond(wholeAtOnce(wire.answer([{ toolCall: "write", deltas }])));
      return async () => {
        const { content } = await ask().result();
        expect(content).toMatchObject([{ name: "write", arguments: JSON.parse(whole) }]);
      };
    });
  });

  function unicodeAnswer() {
    return wire.answer([
      { thinking: "né" },
      { text: ["Grüße 👋🏽", " – 你好"] },
      { toolCall: "ls", arguments: { path: "ä" }, id: "call_a" },
    ]);
  }
});
