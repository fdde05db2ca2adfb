import type { FailedAnswer } from "@pikit/agent";
import { AiError, type AssistantMessage, emptyUsage } from "@pikit/ai";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AutoRetryEvent } from "../../src/protocol/events.ts";
import { AutoRetry, defaultRetrySettings, type RetrySettings } from "../../src/run/auto-retry.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const answer = (stopReason: AssistantMessage["stopReason"]): AssistantMessage => ({
  role: "assistant",
  content: [],
  api: "a",
  provider: "p",
  model: "m",
  usage: emptyUsage(),
  stopReason,
  errorMessage: "overloaded",
  timestamp: 0,
});

const failed = (failure = new AiError("overloaded", "overloaded")): FailedAnswer => ({ answer: answer("error"), failure });

function createRetry(settings: Partial<RetrySettings> = {}) {
  const events: AutoRetryEvent[] = [];
  const retry = new AutoRetry({ ...defaultRetrySettings, ...settings }, (event) => void events.push(event));
  const signal = new AbortController();
  return { retry, events, signal, shouldRetry: (failure?: AiError) => retry.shouldRetry(failed(failure), signal.signal) };
}

test("ER-019 three retries after 2, 4 and 8 seconds, each up to a quarter less, then the last error stands", async () => {
  const { events, shouldRetry } = createRetry();
  for (const longest of [2000, 4000, 8000]) {
    const decision = shouldRetry();
    await vi.advanceTimersByTimeAsync(longest);
    expect(await decision).toBe(true);
  }
  expect(await shouldRetry()).toBe(false);
  const delays = events.flatMap((event) => (event.type === "auto_retry_start" ? [event.delayMs] : []));
  for (const [index, longest] of [2000, 4000, 8000].entries()) {
    expect(delays[index]).toBeGreaterThanOrEqual(longest * 0.75);
    expect(delays[index]).toBeLessThanOrEqual(longest);
  }
  expect(events.at(-1)).toEqual({ type: "auto_retry_end", success: false, attempt: 3, finalError: "overloaded" });
  expect(events.filter(({ type }) => type === "auto_retry_end")).toHaveLength(1);
});

test("ER-019 a delay never exceeds 60 seconds", async () => {
  const { events, shouldRetry } = createRetry({ baseDelayMs: 500_000 });
  const decision = shouldRetry();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await decision).toBe(true);
  expect(events[0]).toMatchObject({ delayMs: 60_000 });
});

test("what the provider asks for is waited for exactly", async () => {
  const { events, shouldRetry } = createRetry();
  const decision = shouldRetry(new AiError("rate_limit", "slow down", { retryAfterMs: 7000 }));
  await vi.advanceTimersByTimeAsync(7000);
  expect(await decision).toBe(true);
  expect(events[0]).toMatchObject({ delayMs: 7000 });
});

test("ER-018 a provider that asks for more than 60 seconds is not asked again", async () => {
  const { events, shouldRetry } = createRetry();
  expect(await shouldRetry(new AiError("rate_limit", "slow down", { retryAfterMs: 60_001 }))).toBe(false);
  expect(events).toEqual([]);
});

test.each(["the run's abort", "cancel"])("ER-021 %s ends the wait at once, with one end event", async (how) => {
  const { retry, events, signal, shouldRetry } = createRetry();
  const decision = shouldRetry();
  await Promise.resolve();
  if (how === "cancel") retry.cancel();
  else signal.abort();
  expect(await decision).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
  expect(events.map(({ type }) => type)).toEqual(["auto_retry_start", "auto_retry_end"]);
  expect(events[1]).toMatchObject({ success: false, attempt: 1 });
});

test("ER-022 a successful answer closes the cycle and starts the count anew", async () => {
  const { retry, events, shouldRetry } = createRetry({ maxRetries: 1 });
  for (let round = 0; round < 2; round += 1) {
    const decision = shouldRetry();
    await vi.advanceTimersByTimeAsync(2000);
    expect(await decision).toBe(true);
    await retry.observe(answer("toolUse"));
  }
  expect(events.map((event) => (event.type === "auto_retry_end" ? event.success : event.attempt))).toEqual([1, true, 1, true]);
});

test("ER-017 what no waiting cures is not retried, nor is anything when retry is off", async () => {
  const { retry, events, shouldRetry } = createRetry();
  expect(await shouldRetry(new AiError("refused", "no"))).toBe(false);
  expect(await retry.shouldRetry({ answer: answer("error"), failure: undefined }, new AbortController().signal)).toBe(false);
  retry.enabled = false;
  expect(await shouldRetry()).toBe(false);
  expect(events).toEqual([]);
});
