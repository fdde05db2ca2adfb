import { setImmediate as nextTurn } from "node:timers/promises";
import { countTurns } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { breathe } from "../../src/exec/breathe.ts";

/** More than one turn of the event loop may take. */
function workLong(): void {
  for (const end = process.uptime() + 0.006; process.uptime() < end; );
}

test("short work does not wait, and neither does long work of another turn", async () => {
  await nextTurn();
  expect(breathe()).toBeUndefined();
  workLong();
  await nextTurn();
  expect(breathe()).toBeUndefined();
});

test("long work pauses, also if another caller did it", async () => {
  await nextTurn();
  expect(breathe()).toBeUndefined();
  workLong();
  using turns = countTurns();
  await breathe();
  expect(turns.count).toBeGreaterThan(0);
});

test("many that have paused in one turn do not continue in one: each that works long has a turn of its own", async () => {
  using turns = countTurns();
  const seen: { name: number; turn: number }[] = [];
  await nextTurn();
  expect(breathe()).toBeUndefined();
  workLong();
  await Promise.all(
    [0, 1, 2, 3, 4].map(async (name) => {
      await breathe();
      seen.push({ name, turn: turns.count });
      workLong();
    }),
  );
  expect(seen.map(({ name }) => name)).toEqual([0, 1, 2, 3, 4]);
  expect(new Set(seen.map(({ turn }) => turn)).size).toBe(5);
});
