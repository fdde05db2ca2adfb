import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { IdleTimer } from "../src/idle-timer.ts";

describe("AI-032 the time between events", () => {
  let firedAt: number[];

  beforeEach(() => {
    vi.useFakeTimers();
    firedAt = [];
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  function start(timeoutMs = 100): IdleTimer {
    const begin = performance.now();
    return new IdleTimer(timeoutMs, () => firedAt.push(Math.round(performance.now() - begin)));
  }

  test("runs out when nothing comes", () => {
    const timer = start();
    vi.advanceTimersByTime(99);
    expect(timer.isOver).toBe(false);
    vi.advanceTimersByTime(500);
    expect(timer.isOver).toBe(true);
    expect(firedAt).toEqual([100]);
  });

  test("starts again with every event", () => {
    const timer = start();
    for (let i = 0; i < 50; i += 1) {
      vi.advanceTimersByTime(90);
      timer.restart();
    }
    expect(firedAt).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(firedAt).toEqual([50 * 90 + 100]);
  });

  test("is extended by pings, to three times as long", () => {
    const timer = start();
    for (let i = 0; i < 50; i += 1) {
      vi.advanceTimersByTime(10);
      timer.extend();
    }
    expect(firedAt).toEqual([300]);
  });

  test("is extended by a ping only for as long as it would wait for an event", () => {
    const timer = start();
    vi.advanceTimersByTime(50);
    timer.extend();
    vi.advanceTimersByTime(1000);
    expect(firedAt).toEqual([150]);
  });

  test("has no limit at 0, and none once it is stopped", () => {
    start(0);
    start().stop();
    vi.advanceTimersByTime(10_000);
    expect(firedAt).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
