import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createThrottle } from "../../../src/tools/output/throttle.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("TL-008 the first request calls at once, later ones when the interval is over, and stop is the end of it", () => {
  const calls: number[] = [];
  const start = performance.now();
  const throttle = createThrottle(100, () => calls.push(performance.now() - start));
  for (let ms = 0; ms < 350; ms += 10) {
    throttle.request();
    vi.advanceTimersByTime(10);
  }
  expect(calls).toEqual([0, 100, 200, 300]);
  vi.advanceTimersByTime(1000);
  expect(calls).toEqual([0, 100, 200, 300, 400]);
  throttle.request();
  throttle.request();
  expect(calls).toEqual([0, 100, 200, 300, 400, 1350]);
  throttle.stop();
  vi.advanceTimersByTime(1000);
  throttle.request();
  expect(calls).toHaveLength(6);
});
