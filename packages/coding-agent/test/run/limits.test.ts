import type { FinishedTurn } from "@pikit/agent";
import { type AssistantMessage, emptyUsage, type ToolResultMessage } from "@pikit/ai";
import { holdClock } from "@pikit/test-kit/clock";
import { expect, test } from "vitest";
import type { LimitEvent } from "../../src/protocol/events.ts";
import { LimitGuard, type RunLimits } from "../../src/run/limits.ts";
import { absentUser, type Clarification, type ClarificationAnswer } from "../../src/user-interface.ts";

function createGuard(limits: RunLimits, answers: ClarificationAnswer[] = [], isMoreQueued = () => false) {
  const events: LimitEvent[] = [];
  const questions: Clarification["reason"][] = [];
  const hints: string[] = [];
  let aborts = 0;
  const guard = new LimitGuard({
    limits,
    user: {
      ...absentUser,
      async clarify({ reason }) {
        questions.push(reason);
        return answers.shift() ?? { action: "stop" };
      },
    },
    emit: (event) => void events.push(event),
    isMoreQueued,
    addHint: (text) => hints.push(text),
  });
  const start = () => {
    guard.start(() => {
      aborts += 1;
    });
  };
  start();
  return { guard, start, events, questions, hints, abortCount: () => aborts };
}

/** A turn with one tool call. */
function turn({ args = {}, output = "x", isError = false, costUsd = 0 } = {}): FinishedTurn {
  const usage = emptyUsage();
  usage.cost.total = costUsd;
  const answer = { role: "assistant", usage, content: [{ type: "toolCall", id: "1", name: "bash", arguments: args }] };
  const result = { role: "toolResult", content: [{ type: "text", text: output }], isError };
  return { answer: answer as unknown as AssistantMessage, toolResults: [result as unknown as ToolResultMessage] };
}

const signal = new AbortController().signal;

async function turnsUntilStop(guard: LimitGuard, next: (index: number) => FinishedTurn): Promise<number> {
  for (let count = 1; count <= 20; count += 1) {
    if ((await guard.afterTurn(next(count), signal)) === "stop") return count;
  }
  return Number.POSITIVE_INFINITY;
}

test.each([
  { limits: { maxTurns: 3 }, next: (i: number) => turn({ args: { i } }), turns: 3, event: { limit: "max-turns", value: 3 } },
  {
    limits: { maxCostUsd: 1 },
    next: (i: number) => turn({ args: { i }, costUsd: 0.4 }),
    turns: 3,
    event: { limit: "max-cost", value: 1 },
  },
  {
    limits: { maxFailuresInARow: 2 },
    next: (i: number) => turn({ args: { i }, isError: i !== 2 }),
    turns: 4,
    event: { limit: "too-many-failures", value: 2 },
  },
  {
    limits: { maxRepeats: 3 },
    next: (i: number) => turn({ output: i < 3 ? "a" : "b" }),
    turns: 5,
    event: { limit: "no-progress", value: 3 },
  },
])("$event.limit ends the run and is told once", async ({ limits, next, turns, event }) => {
  const { guard, events } = createGuard(limits);
  expect(await turnsUntilStop(guard, next)).toBe(turns);
  expect(events).toEqual([{ type: "limit_reached", ...event }]);
  expect(guard.reached).toBe(event.limit);
});

test("what failed answers cost counts too", async () => {
  const { guard, events } = createGuard({ maxCostUsd: 1 });
  guard.countCost(turn({ costUsd: 0.9 }).answer);
  expect(await guard.afterTurn(turn({ costUsd: 0.1 }), signal)).toBe("stop");
  expect(events).toEqual([{ type: "limit_reached", limit: "max-cost", value: 1 }]);
});

test("max-tool-calls refuses the first call past the limit and ends the run after its turn", async () => {
  const { guard, events } = createGuard({ maxToolCalls: 2 });
  expect([guard.checkCall(), guard.checkCall()]).toEqual([undefined, undefined]);
  expect(await guard.afterTurn(turn(), signal)).toBeUndefined();
  expect(guard.checkCall()).toEqual({ refuse: "Not run: this run has reached its limit of 2 tool calls." });
  expect(await guard.afterTurn(turn(), signal)).toBe("stop");
  expect(events).toEqual([{ type: "limit_reached", limit: "max-tool-calls", value: 2 }]);
});

test("max-time aborts the run, whatever it is doing", () => {
  const clock = holdClock();
  const { guard, start, events, abortCount } = createGuard({ maxTimeMs: 5000 });
  clock.pass(5000);
  expect(events).toEqual([{ type: "limit_reached", limit: "max-time", value: 5 }]);
  expect(abortCount()).toBe(1);
  start();
  guard.stop();
  expect(clock.timers).toBe(0);
});

test("max-time longer than a timer can wait does not end the run at once", () => {
  const clock = holdClock();
  const { events, abortCount } = createGuard({ maxTimeMs: 30 * 24 * 3600 * 1000 });
  clock.pass(1000);
  expect(events).toEqual([]);
  expect(abortCount()).toBe(0);
});

test("a run that would go on with a queued message ends at its limit", async () => {
  let isMoreQueued = true;
  const { guard, start, events } = createGuard({ maxTurns: 2 }, [], () => isMoreQueued);
  const last = () => ({ ...turn(), toolResults: [] });
  expect(await turnsUntilStop(guard, last)).toBe(2);
  expect(events).toHaveLength(1);
  start();
  isMoreQueued = false;
  expect(await turnsUntilStop(guard, last)).toBe(Number.POSITIVE_INFINITY);
});

test("a user who says continue lifts the limit once, and the hint goes in", async () => {
  const { guard, events, questions, hints } = createGuard({ maxTurns: 2 }, [{ action: "continue", hint: "try the other file" }]);
  expect(await turnsUntilStop(guard, (i) => turn({ args: { i } }))).toBe(4);
  expect(questions).toEqual(["max_iterations", "max_iterations"]);
  expect(hints).toEqual(["try the other file"]);
  expect(events).toHaveLength(1);
});

test("a run that ends by itself reaches nothing, and each run counts anew", async () => {
  const { guard, start, events } = createGuard({ maxTurns: 1 });
  expect(await guard.afterTurn({ ...turn(), toolResults: [] }, signal)).toBeUndefined();
  start();
  expect(await guard.afterTurn({ ...turn(), toolResults: [] }, signal)).toBeUndefined();
  expect(events).toEqual([]);
});
