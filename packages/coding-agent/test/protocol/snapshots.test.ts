import { type AssistantMessageEvent, emptyUsage, type Usage } from "@pikit/ai";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SnapshotBuilder } from "../../src/protocol/snapshots.ts";
import { type BlockEvent, type DeltaUpdate, joinDeltas, newUsage, toDelta } from "../../src/protocol/stream-records.ts";
import { answerSteps, playSteps, type StreamedStep } from "../helpers/answers.ts";

function isBlockEvent(event: AssistantMessageEvent): event is BlockEvent {
  return event.type !== "start" && event.type !== "done" && event.type !== "error";
}

/** Each step as a record of deltas mode, made when it happened, with the message as it then was. */
function toRecords(steps: readonly StreamedStep[]): { delta: DeltaUpdate; event: BlockEvent; state: StreamedStep["state"] }[] {
  let known: Usage = emptyUsage();
  return steps.flatMap(({ event, state }) => {
    if (!isBlockEvent(event)) return [];
    const delta = toDelta({ ...event, partial: state }, newUsage(state.usage, known));
    known = delta.usage ?? known;
    return [{ delta, event, state }];
  });
}

/** Joins neighbours where `choices` say so and they can be joined; each group has the state of its last member. */
function group(records: ReturnType<typeof toRecords>, choices: readonly boolean[]): ReturnType<typeof toRecords> {
  const groups: ReturnType<typeof toRecords> = [];
  for (const [index, record] of records.entries()) {
    const last = groups.at(-1);
    const isJoined = last && choices[index % choices.length] && joinDeltas(last.delta, record.event, record.delta.usage);
    if (isJoined) last.state = record.state;
    else groups.push(record);
  }
  return groups;
}

const joinChoices = fc.array(fc.boolean(), { minLength: 1, maxLength: 50 });

describe("RP-014 a client rebuilds from deltas what the assembler had", () => {
  test("after each record, however the deltas were joined, through JSON", () => {
    fc.assert(
      fc.property(answerSteps, joinChoices, (answer, choices) => {
        const steps = playSteps(answer);
        const first = steps[0]?.state;
        if (!first) return;
        const builder = new SnapshotBuilder({ ...first, content: [], usage: emptyUsage() });
        for (const { delta, state } of group(toRecords(steps), choices)) {
          const update = builder.apply(JSON.parse(JSON.stringify(delta)) as DeltaUpdate);
          expect(update.message).toEqual({ ...state, stopReason: "stop" });
          expect(update.message).toBe(builder.message);
          expect(update.assistantMessageEvent).toMatchObject({ partial: update.message });
        }
      }),
      { numRuns: 300 },
    );
  });

  test("the event that is rebuilt has the fields that snapshots mode documents, and no others", () => {
    fc.assert(
      fc.property(answerSteps, (answer) => {
        const steps = playSteps(answer).filter(({ event }) => isBlockEvent(event));
        const builder = new SnapshotBuilder({ ...playSteps([])[0]?.state, content: [] } as unknown as StreamedStep["state"]);
        const events = steps.map(({ event }) => event as BlockEvent);
        for (const [index, { delta }] of toRecords(steps).entries()) {
          const { partial: _partial, ...rebuilt } = builder.apply(delta).assistantMessageEvent as BlockEvent;
          const { partial: _live, ...original } = events[index] as BlockEvent;
          expect(rebuilt).toEqual(original);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("an earlier snapshot does not change when later deltas are applied", () => {
    fc.assert(
      fc.property(answerSteps, (answer) => {
        const steps = playSteps(answer);
        const builder = new SnapshotBuilder({ ...(steps[0]?.state as StreamedStep["state"]), content: [] });
        const snapshots = toRecords(steps).map(({ delta }) => {
          const { message } = builder.apply(delta);
          return { message, asTold: JSON.stringify(message) };
        });
        for (const { message, asTold } of snapshots) expect(JSON.stringify(message)).toBe(asTold);
      }),
      { numRuns: 50 },
    );
  });
});

describe("joining", () => {
  const partial = playSteps([])[0]?.state as StreamedStep["state"];
  const textDelta = (contentIndex: number, delta: string): BlockEvent => ({ type: "text_delta", contentIndex, delta, partial });
  const thinking: BlockEvent = { type: "thinking_delta", contentIndex: 0, delta: "t", partial };
  const end: BlockEvent = { type: "text_end", contentIndex: 0, content: "a", partial };
  const usage = { ...emptyUsage(), output: 3 };

  test("deltas of one block become one, with the latest usage", () => {
    const waiting = toDelta(textDelta(0, "a"), usage);
    expect(joinDeltas(waiting, textDelta(0, "b"), undefined)).toBe(true);
    expect(waiting).toEqual(toDelta(textDelta(0, "ab"), usage));
    expect(joinDeltas(waiting, textDelta(0, "c"), emptyUsage())).toBe(true);
    expect(waiting).toEqual(toDelta(textDelta(0, "abc"), emptyUsage()));
  });

  test("deltas of two blocks, of two kinds, and starts and ends stay apart", () => {
    const first = toDelta(textDelta(0, "a"), undefined);
    for (const other of [textDelta(1, "b"), thinking, end]) expect(joinDeltas(first, other, usage)).toBe(false);
    expect(first).toEqual(toDelta(textDelta(0, "a"), undefined));
    expect(joinDeltas(toDelta(end, undefined), textDelta(0, "a"), undefined)).toBe(false);
    expect(joinDeltas(toDelta(end, undefined), end, undefined)).toBe(false);
  });
});
