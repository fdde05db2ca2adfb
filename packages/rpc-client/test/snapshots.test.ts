import type { AgentSessionEvent } from "@pikit/coding-agent";
import fc from "fast-check";
import { expect, test } from "vitest";
import { RecordWriter } from "../../coding-agent/src/modes/record-writer.ts";
import { answerSteps, playSteps, type StreamedStep } from "../../coding-agent/test/helpers/answers.ts";
import { SlowSink } from "../../coding-agent/test/helpers/slow-sink.ts";
import type { RpcEvent, StreamMode } from "../src/index.ts";
import { SnapshotRebuilder } from "../src/snapshots.ts";

type AssistantMessage = StreamedStep["state"];

/** The events of a session around one streamed answer. */
function toEvents(steps: readonly StreamedStep[]): AgentSessionEvent[] {
  const first = steps[0]?.event;
  const last = steps.at(-1)?.state as AssistantMessage;
  const message = first && "partial" in first ? first.partial : last;
  return [
    { type: "message_start", message },
    ...steps.map(({ event }): AgentSessionEvent => {
      const live = "partial" in event ? event.partial : "message" in event ? event.message : event.error;
      return { type: "message_update", message: live, assistantMessageEvent: event };
    }),
    { type: "message_end", message: last },
  ];
}

/** What the agent writes; nothing waits, so that nothing is joined. */
async function write(answers: readonly StreamedStep[][], mode: StreamMode): Promise<RpcEvent[]> {
  const sink = new SlowSink(true);
  const writer = new RecordWriter(sink, mode);
  for (const steps of answers) {
    for (const event of toEvents(steps)) {
      writer.sendEvent(event);
      await writer.flush();
    }
  }
  return sink.records as unknown as RpcEvent[];
}

/** The answer ends in another way: the last step is replaced. One without a block is one that failed before it began. */
function endWith(steps: StreamedStep[], stopReason: "error" | "aborted"): StreamedStep[] {
  if (steps.length === 2) steps.shift();
  const state = { ...(steps.at(-1)?.state as AssistantMessage), stopReason, errorMessage: "cut off" };
  return [...steps.slice(0, -1), { event: { type: "error", reason: stopReason, error: state }, state }];
}

test("what is rebuilt from deltas is what snapshots mode sends, record by record", async () => {
  const answer = fc
    .tuple(answerSteps, fc.constantFrom("done", "error", "aborted"))
    .map(([steps, end]) => (end === "done" ? playSteps(steps) : endWith(playSteps(steps), end)));
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 3 }), async (answers) => {
      const rebuilt: RpcEvent[] = [];
      const rebuilder = new SnapshotRebuilder((event) => rebuilt.push(event));
      rebuilder.isDeltas = true;
      for (const record of await write(answers, "deltas")) rebuilder.read(record);
      expect(rebuilt).toEqual(await write(answers, "snapshots"));
    }),
    { numRuns: 150 },
  );
});

test("records of snapshots mode pass as they are, and an answer keeps the mode in which it began", async () => {
  const answer = playSteps([
    { do: "open", kind: "text" },
    { do: "append", block: 0, length: 9 },
  ]);
  const snapshots = await write([answer, answer], "snapshots");
  const events: RpcEvent[] = [];
  const rebuilder = new SnapshotRebuilder((event) => events.push(event));
  for (const [index, record] of snapshots.entries()) {
    // The agent was asked for deltas in the middle of the first answer.
    if (index === 2) rebuilder.isDeltas = true;
    if (record.type === "message_end" && events.filter(({ type }) => type === "message_end").length === 0) {
      rebuilder.read(record);
      break;
    }
    rebuilder.read(record);
  }
  expect(events).toEqual(snapshots.slice(0, snapshots.length / 2));
});
