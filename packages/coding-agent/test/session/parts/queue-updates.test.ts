import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { QueuedTexts } from "../../../src/protocol/data.ts";
import { QueueUpdates } from "../../../src/session/parts/queue-updates.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Queues as a session has them, with what was told of them. */
function createQueues() {
  const steering: string[] = [];
  const followUp: string[] = [];
  const told: QueuedTexts[] = [];
  const queues = {
    get count() {
      return steering.length + followUp.length;
    },
    get texts() {
      return { steering: [...steering], followUp: [...followUp] };
    },
  };
  const updates = new QueueUpdates(queues, (texts) => void told.push(texts));
  const change = (act: () => void) => {
    act();
    updates.noteChange();
  };
  const cost = () => told.flatMap((texts) => [...texts.steering, ...texts.followUp]).reduce((sum, text) => sum + text.length, 0);
  return { steering, followUp, told, updates, cost, add: (text: string) => change(() => steering.push(text)), change };
}

test.each([
  ["300 messages of 50,000 characters", 300, 50_000],
  ["20,000 short messages", 20_000, 20],
  ["2,000 messages of 1,000 characters", 2000, 1000],
])("%s cost no more than a fixed share each, and the last update has all of them", (_what, count, size) => {
  const { add, told, cost } = createQueues();
  for (let n = 0; n < count; n += 1) add("x".repeat(size));
  // What the messages have paid for, and one list more.
  expect(cost()).toBeLessThanOrEqual(count * 1000 + count * size);
  vi.runAllTimers();
  expect(told.at(-1)?.steering).toHaveLength(count);
  expect(cost()).toBeLessThanOrEqual(count * 1000 + 2 * count * size);
  expect(vi.getTimerCount()).toBe(0);
});

test("a short queue is told of with each message, a message that leaves at once, and what waits to be told only once", () => {
  const { add, told, change, steering, followUp, updates } = createQueues();
  add("a");
  change(() => followUp.push("b"));
  expect(told).toEqual([
    { steering: ["a"], followUp: [] },
    { steering: ["a"], followUp: ["b"] },
  ]);
  const long = "x".repeat(100_000);
  add(long);
  add("c");
  expect(told.at(-1)).toEqual({ steering: ["a", long], followUp: ["b"] });
  change(() => steering.shift());
  expect(told.slice(3)).toEqual([{ steering: [long, "c"], followUp: ["b"] }]);
  updates.flush();
  vi.runAllTimers();
  expect(told).toHaveLength(4);
});

test("what has not been told can be told before its time", () => {
  const { add, told, updates } = createQueues();
  add("x".repeat(100_000));
  add("last");
  expect(told).toHaveLength(1);
  updates.flush();
  expect(told).toHaveLength(2);
  expect(told.at(-1)?.steering.at(-1)).toBe("last");
  vi.runAllTimers();
  expect(told).toHaveLength(2);
});
