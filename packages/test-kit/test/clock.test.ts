import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { holdClock } from "../src/clock.ts";

test("time passes as the test says, in order, and goes on by itself too", async () => {
  const clock = holdClock();
  const begin = performance.now();
  const called: string[] = [];
  setTimeout(() => called.push("an hour"), 3_600_000);
  const minute = setTimeout(() => called.push("a minute"), 60_000);
  expect(clock.timers).toBe(2);
  clock.pass(60_000);
  expect(called).toEqual(["a minute"]);
  clock.pass(3_540_000);
  expect(called).toEqual(["a minute", "an hour"]);
  expect(performance.now() - begin).toBeGreaterThanOrEqual(3_600_000);
  clearTimeout(minute.unref());
  await new Promise((resolve) => setTimeout(resolve, 1));
  await sleep(1);
  expect(clock.timers).toBe(0);
});

test("the next test has its own clock", () => {
  const timer = setTimeout(() => {}, 1);
  expect(timer.constructor.name).toBe("Timeout");
  clearTimeout(timer);
});
