import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { holdClock } from "../src/clock.ts";
import { until } from "../src/until.ts";

test("time passes as the test says, and timers are called in order", async () => {
  const clock = holdClock();
  const begin = performance.now();
  const called: string[] = [];
  setTimeout(() => called.push("an hour"), 3_600_000);
  const minute = setTimeout(() => called.push("a minute"), 60_000);
  // no race: the held clock does not see it.
  await sleep(1);
  expect([clock.timers, performance.now() - begin]).toEqual([2, 0]);
  clock.pass(60_000);
  expect(called).toEqual(["a minute"]);
  clearTimeout(minute.unref());
  clock.pass(3_540_000);
  expect(called).toEqual(["a minute", "an hour"]);
  expect([clock.timers, performance.now() - begin]).toEqual([0, 3_600_000]);
});

test("the next test has its own clock", () => {
  const timer = setTimeout(() => {}, 1);
  expect(timer.constructor.name).toBe("Timeout");
  clearTimeout(timer);
});

test("what is looked at may be waited for while the clock is held", async () => {
  holdClock();
  const looks = [false, "", "seen"];
  expect(await until("the third look", async () => looks.shift())).toBe("seen");
});
