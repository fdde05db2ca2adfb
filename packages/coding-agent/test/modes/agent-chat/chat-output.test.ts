import { expect, test } from "vitest";
import { ChatOutput } from "../../../src/modes/agent-chat/chat-output.ts";
import type { ChatEvent } from "../../../src/modes/agent-chat/protocol.ts";
import { SlowSink } from "../../helpers/slow-sink.ts";

const chunk = (text: string): ChatEvent => ({ event: "text_chunk", data: { text } });
const output = (stream: "stdout" | "stderr", text: string): ChatEvent => ({
  event: "command_output",
  data: { stream, chunk: text },
});
const pong: ChatEvent = { event: "pong", data: {} };

/** Records of a sink that has taken its first piece and wants no more for now. */
async function block(sink: SlowSink, chatOutput: ChatOutput): Promise<void> {
  chatOutput.send(pong);
  while (sink.text === "") await new Promise((resolve) => setImmediate(resolve));
}

test("while the reader keeps up every event is a line of its own", async () => {
  const sink = new SlowSink(true);
  const chatOutput = new ChatOutput(sink);
  const events = [chunk("a"), chunk("b"), output("stdout", "c"), output("stdout", "d"), pong, chunk("\u2028")];
  for (const event of events) chatOutput.send(event);
  await chatOutput.flush();
  expect(sink.records).toEqual(events);
  expect(sink.text).toContain("\\u2028");
  await chatOutput.flush();
});

test("RP-010 while it is slow, neighbours of one text become one, lines stay lines, and nothing changes its place", async () => {
  const sink = new SlowSink();
  const chatOutput = new ChatOutput(sink);
  await block(sink, chatOutput);
  const told = [
    chunk("a"),
    chunk("b"),
    output("stdout", "c"),
    output("stdout", "d"),
    output("stdout", ""),
    output("stderr", "e"),
    output("stdout", "f"),
  ];
  for (const event of [...told, pong, chunk("g"), chunk("h"), pong, pong]) chatOutput.send(event);
  sink.open();
  await chatOutput.flush();
  const joined = [
    pong,
    chunk("ab"),
    output("stdout", "c"),
    output("stdout", "d"),
    output("stdout", ""),
    output("stderr", "e"),
    output("stdout", "f"),
    pong,
    chunk("gh"),
    pong,
    pong,
  ];
  expect(sink.records).toEqual(joined);
});

test("RP-010 a million pieces that wait stay as small as what they say, and long output keeps its end", async () => {
  const sink = new SlowSink();
  const chatOutput = new ChatOutput(sink);
  await block(sink, chatOutput);
  for (let n = 0; n < 1_000_000; n += 1) chatOutput.send(chunk("x"));
  for (let n = 0; n < 100; n += 1) chatOutput.send(output("stdout", `${n}`.padStart(100_000, " ")));
  sink.open();
  await chatOutput.flush();
  const [, text, ...lines] = sink.records as unknown as ChatEvent[];
  expect(text).toEqual(chunk("x".repeat(1_000_000)));
  const [first, ...kept] = lines.map(({ data }) => (data as { chunk: string }).chunk);
  expect(first).toBe("[some output was left out here]");
  expect(kept).toEqual(kept.map((_line, index) => `${100 - kept.length + index}`.padStart(100_000, " ")));
  expect(kept.length).toBeGreaterThan(8);
  expect(kept.length).toBeLessThan(22);
});

test("RP-010 of a command whose streams take turns, what waits is bounded too, and each piece stays with its stream", async () => {
  const sink = new SlowSink();
  const chatOutput = new ChatOutput(sink);
  await block(sink, chatOutput);
  for (let n = 0; n < 200_000; n += 1) chatOutput.send(output(n % 2 ? "stderr" : "stdout", `${n} `));
  sink.open();
  await chatOutput.flush();
  const pieces = (sink.records as unknown as ChatEvent[]).slice(1) as Extract<ChatEvent, { event: "command_output" }>[];
  expect(pieces.length).toBeLessThan(10_000);
  const [first, ...others] = pieces.map(({ data }) => data);
  expect(first?.chunk).toBe("[some output was left out here]");
  const from = 200_000 - others.length;
  expect(others).toEqual(
    others.map((_, index) => {
      const n = from + index;
      return { stream: n % 2 ? "stderr" : "stdout", chunk: `${n} ` };
    }),
  );
});
