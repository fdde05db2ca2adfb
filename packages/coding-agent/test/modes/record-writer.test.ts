import { setImmediate as nextTurn } from "node:timers/promises";
import { type AssistantMessage, type AssistantMessageEvent, emptyUsage, type ToolCall } from "@pikit/ai";
import { PartialArguments } from "@pikit/ai/partial-arguments";
import { heldBytes, watchEventLoop } from "@pikit/test-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RecordWriter } from "../../src/modes/record-writer.ts";
import type { StreamMode } from "../../src/protocol/data.ts";
import { SnapshotBuilder } from "../../src/protocol/snapshots.ts";
import type { DeltaUpdate } from "../../src/protocol/stream-records.ts";
import { answerSteps, playSteps, type StreamedStep } from "../helpers/answers.ts";
import type { WireRecord } from "../helpers/rpc-process.ts";
import { decodePieces, SlowSink } from "../helpers/slow-sink.ts";

function message(): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: "scripted",
    provider: "test",
    model: "m",
    usage: emptyUsage(),
    stopReason: "stop",
    timestamp: 1,
  };
}

/** A writer in the middle of an answer whose reader takes nothing until the sink is opened. */
async function createBlockedWriter(mode: StreamMode) {
  const sink = new SlowSink();
  const writer = new RecordWriter(sink, mode);
  const partial = message();
  writer.sendEvent({ type: "message_start", message: partial });
  await nextTurn();
  const update = (assistantMessageEvent: AssistantMessageEvent) =>
    writer.sendEvent({ type: "message_update", message: partial, assistantMessageEvent });
  return { sink, writer, partial, update };
}

async function drain({ sink, writer }: { sink: SlowSink; writer: RecordWriter }): Promise<WireRecord[]> {
  sink.open();
  await writer.flush();
  return sink.records.slice(1);
}

describe("updates of the queues", () => {
  const queues = (...steering: string[]) => ({ type: "queue_update" as const, steering, followUp: [] });

  test("that wait for the reader become the latest, in its place, behind the answers to what it tells of", async () => {
    const { sink, writer, update, partial } = await createBlockedWriter("deltas");
    const delta = (text: string) => update({ type: "text_delta", contentIndex: 0, delta: text, partial });
    writer.sendEvent(queues("a"));
    writer.send({ type: "response", n: 1 });
    delta("one");
    writer.sendEvent(queues("a", "b"));
    delta(" two");
    writer.send({ type: "response", n: 2 });
    expect((await drain({ sink, writer })).map(({ type, n, steering }) => n ?? steering ?? type)).toEqual([
      ...[1, "message_update", ["a", "b"], 2],
    ]);
    writer.sendEvent(queues("later"));
    await writer.flush();
    expect(sink.records.at(-1)).toEqual(queues("later"));
  });

  test("stay before a message that has left the queue", async () => {
    const { sink, writer } = await createBlockedWriter("deltas");
    writer.sendEvent(queues("a", "b"));
    writer.sendEvent(queues("b"));
    writer.sendEvent({ type: "message_start", message: { role: "user", content: "a", timestamp: 1 } });
    writer.sendEvent(queues("b", "c"));
    expect((await drain({ sink, writer })).map(({ type, steering }) => steering ?? type)).toEqual([
      ...[["b"], "message_start", ["b", "c"]],
    ]);
  });
});

describe("RP-009 records leave in order and whole", () => {
  test("one line a record, however large and however the reader pauses", async () => {
    const sink = new SlowSink();
    const writer = new RecordWriter(sink, "snapshots");
    const records = Array.from({ length: 300 }, (_, n) => ({ type: "x", n, text: "é".repeat((n * 977) % 40_000) }));
    for (const record of records) {
      writer.send(record);
      if (record.n % 3 === 0) await nextTurn();
      if (record.n % 2 === 0) sink.release();
    }
    expect(writer.flush()).not.toBe(writer.flush());
    sink.open();
    await writer.flush();
    expect(sink.records).toEqual(records);
    await writer.flush();
  });

  test("a record of several MB beside small ones", async () => {
    const sink = new SlowSink();
    const writer = new RecordWriter(sink, "snapshots");
    const records = [{ n: 1 }, { n: 2, text: "x".repeat(5_000_000) }, { n: 3 }];
    for (const record of records) writer.send(record);
    sink.open();
    await writer.flush();
    expect(sink.records).toEqual(records);
  });

  test("long records in pieces, with nothing between them, while others are sent", async () => {
    const sink = new SlowSink();
    const writer = new RecordWriter(sink, "deltas", { cutsLines: true });
    const records = [{ n: 1 }, { n: 2, list: Array(200).fill("é".repeat(5000)) }, { n: 3, text: "x".repeat(300_000) }, { n: 4 }];
    for (const record of records) writer.send(record);
    let writes = 0;
    const flushed = writer.flush().then(() => sink.open());
    for (; !sink.isOpen; await nextTurn()) {
      if (writes === 5) records.push({ n: 5 }, { n: 6, list: ["y".repeat(70_000)] });
      if (writes === 5) for (const record of records.slice(4)) writer.send(record);
      sink.release();
      writes += 1;
    }
    await flushed;
    expect(sink.records).toEqual(records);
    expect(sink.longestWrite).toBeLessThan(140_000);
  });

  test("a long record for a reader that takes everything at once leaves time for other work", async () => {
    const sink = new SlowSink(true);
    const writer = new RecordWriter(sink, "deltas", { cutsLines: true });
    writer.send({ list: Array.from({ length: 2000 }, (_, n) => ({ n, items: Array(500).fill({ text: "é" }) })) });
    const loop = watchEventLoop();
    await writer.flush();
    expect(loop.stop().turns).toBeGreaterThan(5);
    expect(sink.records).toHaveLength(1);
    expect(sink.longestWrite).toBeLessThan(140_000);
  });

  test("long records of an output that needs whole lines leave as one write each", async () => {
    const lines: string[] = [];
    const writer = new RecordWriter({ write: (pieces) => void lines.push(decodePieces(pieces)) }, "deltas");
    const records = [{ list: Array(200).fill("é".repeat(5000)) }, { n: 2 }];
    for (const record of records) writer.send(record);
    writer.writeNow();
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual(records);
  });

  test("many small records leave in pieces of about 64 K, so that a reader gets them in turn", async () => {
    const sink = new SlowSink(true);
    const writer = new RecordWriter(sink, "snapshots");
    for (let n = 0; n < 20_000; n += 1) writer.send({ n, text: "some text" });
    await writer.flush();
    expect(sink.records).toHaveLength(20_000);
    expect(sink.longestWrite).toBeLessThan(70_000);
  });

  test("RP-015 a record that JSON cannot hold costs neither itself nor those after it", async () => {
    const sink = new SlowSink(true);
    const writer = new RecordWriter(sink, "snapshots");
    const details: Record<string, unknown> = { big: 5n };
    details.self = details;
    writer.sendEvent({
      type: "tool_execution_end",
      toolCallId: "1",
      toolName: "t",
      result: { content: [], details },
      isError: false,
    });
    writer.send({ n: 2 });
    await writer.flush();
    expect(sink.records).toMatchObject([{ result: { details: { big: "5", self: "[circular]" } } }, { n: 2 }]);
  });
});

describe("RP-010 what waits is joined", () => {
  test("deltas of one block leave as one; what came before and after stays in order", async () => {
    const writer = await createBlockedWriter("deltas");
    const { partial, update } = writer;
    partial.content.push({ type: "text", text: "" });
    update({ type: "text_start", contentIndex: 0, partial });
    for (let n = 0; n < 1000; n += 1) update({ type: "text_delta", contentIndex: 0, delta: `${n},`, partial });
    writer.writer.send({ type: "response", command: "get_state", success: true });
    update({ type: "text_delta", contentIndex: 0, delta: "late", partial });
    expect(await drain(writer)).toEqual([
      { type: "message_update", assistantMessageEvent: { type: "text_start", contentIndex: 0 } },
      {
        type: "message_update",
        assistantMessageEvent: {
          type: "text_delta",
          contentIndex: 0,
          delta: Array.from({ length: 1000 }, (_, n) => `${n},`).join(""),
        },
      },
      { type: "response", command: "get_state", success: true },
      { type: "message_update", assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: "late" } },
    ]);
  });

  test.each(["snapshots", "deltas"] as const)(
    "deltas of two blocks that take turns leave as one each, in %s mode",
    async (mode) => {
      const writer = await createBlockedWriter(mode);
      const { partial, update } = writer;
      for (const contentIndex of [0, 1]) {
        partial.content.push({ type: "text", text: "" });
        update({ type: "text_start", contentIndex, partial });
      }
      for (let n = 0; n < 1000; n += 1) {
        update({ type: "text_delta", contentIndex: 0, delta: "a", partial });
        update({ type: "text_delta", contentIndex: 1, delta: "b", partial });
      }
      const records = await drain(writer);
      expect(records.map(({ assistantMessageEvent }) => (assistantMessageEvent as AssistantMessageEvent).type)).toEqual([
        "text_start",
        "text_start",
        "text_delta",
        "text_delta",
      ]);
      expect(records.slice(2)).toMatchObject([
        { assistantMessageEvent: { contentIndex: 0, delta: "a".repeat(1000) } },
        { assistantMessageEvent: { contentIndex: 1, delta: "b".repeat(1000) } },
      ]);
    },
  );

  test("updates of tool calls that run side by side leave as the latest of each", async () => {
    const writer = await createBlockedWriter("snapshots");
    const send = (toolCallId: string, text: string) =>
      writer.writer.sendEvent({
        type: "tool_execution_update",
        toolCallId,
        toolName: "t",
        args: {},
        partialResult: { content: [{ type: "text", text }], details: null },
      });
    for (let n = 1; n <= 500; n += 1) for (const id of ["a", "b"]) send(id, `${id}${n}`);
    writer.writer.sendEvent({
      type: "tool_execution_end",
      toolCallId: "a",
      toolName: "t",
      result: { content: [], details: null },
      isError: false,
    });
    send("b", "last");
    expect(await drain(writer)).toMatchObject([
      { toolCallId: "a", partialResult: { content: [{ text: "a500" }] } },
      { toolCallId: "b", partialResult: { content: [{ text: "b500" }] } },
      { type: "tool_execution_end", toolCallId: "a" },
      { toolCallId: "b", partialResult: { content: [{ text: "last" }] } },
    ]);
  });

  test("output of commands that run side by side, and beside an answer, leaves as one record of each", async () => {
    const blocked = await createBlockedWriter("deltas");
    const { writer, partial, update } = blocked;
    update({ type: "text_start", contentIndex: 0, partial });
    for (let n = 0; n < 1000; n += 1) {
      for (const id of ["a", "b", undefined])
        writer.sendBashUpdate({ type: "bash_execution_update", ...(id ? { id } : {}), delta: "x" });
      update({ type: "text_delta", contentIndex: 0, delta: "y", partial });
    }
    writer.send({ type: "response", id: "a" });
    writer.sendBashUpdate({ type: "bash_execution_update", id: "b", delta: "later" });
    const records = await drain(blocked);
    expect(records.map(({ type, id }) => [type, id])).toEqual([
      ["message_update", undefined],
      ["bash_execution_update", "a"],
      ["bash_execution_update", "b"],
      ["bash_execution_update", undefined],
      ["message_update", undefined],
      ["response", "a"],
      ["bash_execution_update", "b"],
    ]);
    expect(records.slice(1, 4).map(({ delta }) => delta)).toEqual(["x".repeat(1000), "x".repeat(1000), "x".repeat(1000)]);
    expect(records[4]).toMatchObject({ assistantMessageEvent: { delta: "y".repeat(1000) } });
  });

  test("RP-010 of a long output that nobody reads the end is kept, whole characters of it, however it comes", async () => {
    for (const length of [1, 8192, 65536]) {
      const blocked = await createBlockedWriter("deltas");
      const piece = "🙂x".repeat(length);
      const count = Math.ceil(4_000_000 / piece.length);
      for (let n = 0; n < count; n += 1) blocked.writer.sendBashUpdate({ type: "bash_execution_update", id: "a", delta: piece });
      const [record, ...others] = await drain(blocked);
      expect(others).toEqual([]);
      const [, kept] = /^\n\[some output was left out here\]\n((?:🙂x)+)$/u.exec(String(record?.delta)) ?? [];
      expect(kept?.length).toBeGreaterThan(700_000);
      expect(kept?.length).toBeLessThanOrEqual(1024 * 1024);
    }
  });

  test("memory of a long answer that nobody reads grows with its text, not with its snapshots", async () => {
    const writer = await createBlockedWriter("snapshots");
    const { partial, update } = writer;
    const block = { type: "text" as const, text: "" };
    partial.content.push(block);
    update({ type: "text_start", contentIndex: 0, partial });
    const before = await heldBytes();
    for (let n = 0; n < 100_000; n += 1) {
      block.text += "0123456789";
      update({ type: "text_delta", contentIndex: 0, delta: "0123456789", partial });
    }
    expect(((await heldBytes()) - before) / 1e6).toBeLessThan(20);
    const records = await drain(writer);
    expect(records).toHaveLength(2);
    expect(records[1]).toMatchObject({ message: { content: [{ type: "text", text: block.text }] } });
  });
});

/** What a message must be after these deltas, worked out the plain way. */
class Reference {
  readonly #final: AssistantMessage;
  readonly content: AssistantMessage["content"] = [];
  readonly #argumentTexts: string[] = [];

  /** @param final - Where the ids of tool calls are: events of snapshots mode do not carry them. */
  constructor(final: AssistantMessage) {
    this.#final = final;
  }

  apply(event: DeltaUpdate["assistantMessageEvent"]): void {
    const { contentIndex: index } = event;
    const block = this.content[index];
    if (event.type === "text_start") this.content[index] = { type: "text", text: "" };
    else if (event.type === "thinking_start") this.content[index] = { type: "thinking", thinking: "" };
    else if (event.type === "toolcall_start") this.content[index] = { ...this.#final.content[index], arguments: {} } as ToolCall;
    else if (event.type === "text_delta" && block?.type === "text") block.text += event.delta;
    else if (event.type === "thinking_delta" && block?.type === "thinking") block.thinking += event.delta;
    else if (event.type === "toolcall_delta" && block?.type === "toolCall") {
      this.#argumentTexts[index] = (this.#argumentTexts[index] ?? "") + event.delta;
      const reader = new PartialArguments();
      reader.append(this.#argumentTexts[index] as string);
      block.arguments = reader.value;
    } else if (event.type === "toolcall_end") this.content[index] = event.toolCall;
  }
}

describe("RP-014 with a reader that pauses at random, late in the answer's life", () => {
  const pauses = fc.array(fc.constantFrom("turn", "release", "go on"), { minLength: 1, maxLength: 40 });

  /** Plays a whole answer before, while and after the writer gets its turns; the events carry the message as it is at the end. */
  async function write(steps: StreamedStep[], mode: StreamMode, choices: readonly string[]): Promise<WireRecord[]> {
    const sink = new SlowSink();
    const writer = new RecordWriter(sink, mode);
    const final = steps.at(-1)?.state as AssistantMessage;
    writer.sendEvent({ type: "message_start", message: final });
    for (const [index, { event }] of steps.entries()) {
      const assistantMessageEvent = "partial" in event ? { ...event, partial: final } : event;
      writer.sendEvent({ type: "message_update", message: final, assistantMessageEvent });
      const choice = choices[index % choices.length];
      if (choice === "release") sink.release();
      if (choice === "turn") await nextTurn();
    }
    writer.sendEvent({ type: "message_end", message: final });
    sink.open();
    await writer.flush();
    return sink.records;
  }

  test("snapshots: each record's message is what its deltas so far add up to, and the last is the whole answer", async () => {
    await fc.assert(
      fc.asyncProperty(answerSteps, pauses, async (answer, choices) => {
        const steps = playSteps(answer);
        const final = JSON.parse(JSON.stringify(steps.at(-1)?.state)) as AssistantMessage;
        const records = await write(steps, "snapshots", choices);
        expect(records.shift()).toMatchObject({ type: "message_start", message: { content: [], stopReason: "stop" } });
        expect(records.pop()).toEqual({ type: "message_end", message: final });
        expect(records.pop()).toMatchObject({ message: final, assistantMessageEvent: { type: "done", message: final } });
        expect(records.shift()).toMatchObject({ message: { content: [] }, assistantMessageEvent: { type: "start" } });
        const reference = new Reference(withoutErrors(final));
        for (const { message, assistantMessageEvent } of records) {
          reference.apply(assistantMessageEvent as DeltaUpdate["assistantMessageEvent"]);
          expect(withoutSignatures(message as AssistantMessage)).toEqual(reference.content);
          expect(assistantMessageEvent).toMatchObject({ partial: message });
        }
        if (records.length > 0) expect(records.at(-1)).toMatchObject({ message: { usage: final.usage } });
      }),
      { numRuns: 150 },
    );
  });

  test("deltas: a client ends with the whole answer, and no record carries a message", async () => {
    await fc.assert(
      fc.asyncProperty(answerSteps, pauses, async (answer, choices) => {
        const steps = playSteps(answer);
        const final = JSON.parse(JSON.stringify(steps.at(-1)?.state)) as AssistantMessage;
        const [start, ...records] = await write(steps, "deltas", choices);
        records.pop();
        const builder = new SnapshotBuilder(start?.message as AssistantMessage);
        for (const record of records) {
          expect(record).not.toHaveProperty("message");
          expect(record.assistantMessageEvent).not.toHaveProperty("partial");
          builder.apply(record as unknown as DeltaUpdate);
        }
        expect(builder.message.content).toEqual(final.content);
      }),
      { numRuns: 150 },
    );
  });
});

/** An error of the arguments is known only at the end of its call. */
function withoutErrors(message: AssistantMessage): AssistantMessage {
  const content = message.content.map((block) => {
    if (block.type !== "toolCall") return block;
    const { argumentsError: _argumentsError, ...call } = block;
    return call;
  });
  return { ...message, content };
}

function withoutSignatures({ content }: AssistantMessage): unknown[] {
  return content.map((block) => {
    if (block.type === "text") return { type: "text", text: block.text };
    if (block.type === "thinking") return { type: "thinking", thinking: block.thinking };
    return block;
  });
}
