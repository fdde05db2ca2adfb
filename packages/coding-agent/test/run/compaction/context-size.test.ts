import { describe, expect, test, vi } from "vitest";
import { contextUsageOf, measureContext } from "../../../src/run/compaction/context-size.ts";
import {
  defaultCompactionSettings,
  isPastThreshold,
  leastWorthwhile,
  scaleBudget,
  summaryLimit,
} from "../../../src/run/compaction/policy.ts";
import { userMessage } from "../../helpers/messages.ts";
import { answer, textOfTokens, usageOf, user } from "./helpers.ts";

const bare = { systemPrompt: "", tools: [] };
const summary = { role: "compactionSummary" as const, summary: textOfTokens(50), tokensBefore: 1, timestamp: 100 };

describe("CP-002 the size of the context", () => {
  test("is what the last answer reports, and an estimate of what came after", () => {
    const messages = [user(10_000), answer(5, { usage: usageOf(300) }), user(100), answer(5, { usage: usageOf(500) }), user(100)];
    expect(measureContext({ ...bare, messages })).toEqual({ tokens: 600, isReported: true });
  });

  test.each([
    ["errored", { stopReason: "error" as const, usage: usageOf(9000) }],
    ["aborted", { stopReason: "aborted" as const, usage: usageOf(9000) }],
  ])("passes over an %s answer, and over one whose usage is all zero", (_what, overrides) => {
    const messages = [answer(5, { usage: usageOf(300) }), user(100), answer(100), user(100), answer(1000, overrides)];
    expect(measureContext({ ...bare, messages })).toEqual({ tokens: 600, isReported: true });
  });

  test("passes over usage from before the last compaction", () => {
    const kept = [user(100), answer(100, { timestamp: 99, usage: usageOf(9000) })];
    const { tokens, isReported } = measureContext({ ...bare, messages: [summary, ...kept] });
    expect(isReported).toBe(false);
    expect(tokens).toBeGreaterThanOrEqual(250);
    expect(tokens).toBeLessThan(300);
    const later = answer(5, { timestamp: 101, usage: usageOf(400) });
    expect(measureContext({ ...bare, messages: [summary, ...kept, later] })).toEqual({ tokens: 400, isReported: true });
  });

  test("is an estimate of everything, prompt and tools and images included, where nothing is reported", () => {
    const image = userMessage([{ type: "image", data: "AAAA".repeat(10_000), mimeType: "image/png" }]);
    const tool = { name: "t", description: textOfTokens(100), parameters: {} as never };
    const { tokens } = measureContext({ systemPrompt: textOfTokens(200), tools: [tool], messages: [user(100), image] });
    expect(tokens).toBeGreaterThanOrEqual(1600);
    expect(tokens).toBeLessThan(1650);
  });

  test("usage without its sum, as other programs store it, counts too", () => {
    const usage = { input: 100, output: 20, cacheRead: 300, cacheWrite: 4 } as never;
    expect(measureContext({ ...bare, messages: [answer(1, { usage })] }).tokens).toBe(424);
    expect(measureContext({ ...bare, messages: [answer(10, { usage: undefined as never })] }).tokens).toBe(10);
  });
});

test("AI-041 where nothing is reported, a message is measured once, and again when its text has changed", () => {
  const first = answer(1000, { usage: usageOf(0) });
  const messages = [user(1000), first, user(1000)];
  const measured = vi.spyOn(Buffer, "byteLength");
  const measure = () => {
    measured.mockClear();
    const { tokens } = measureContext({ ...bare, messages });
    return { tokens, texts: measured.mock.calls.filter(([text]) => typeof text === "string" && text.length > 100).length };
  };
  try {
    expect(measure()).toEqual({ tokens: 3000, texts: 3 });
    messages.push(user(500));
    expect(measure()).toEqual({ tokens: 3500, texts: 1 });
    first.content = [{ type: "text", text: textOfTokens(100) }];
    expect(measure()).toEqual({ tokens: 2600, texts: 1 });
  } finally {
    measured.mockRestore();
  }
});

test("CP-016 the usage that is told is unknown after a compaction, until the next answer", () => {
  const kept = answer(100, { timestamp: 99, usage: usageOf(9000) });
  expect(contextUsageOf({ ...bare, messages: [summary, kept] }, 1000)).toEqual({
    tokens: null,
    contextWindow: 1000,
    percent: null,
  });
  const later = answer(5, { timestamp: 101, usage: usageOf(400) });
  expect(contextUsageOf({ ...bare, messages: [summary, kept, later] }, 1000)).toEqual({
    tokens: 400,
    contextWindow: 1000,
    percent: 40,
  });
  expect(contextUsageOf({ ...bare, messages: [later] }, 0)).toEqual({ tokens: 400, contextWindow: 0, percent: null });
  expect(contextUsageOf({ ...bare, messages: [] }, 1000)).toEqual({ tokens: 0, contextWindow: 1000, percent: 0 });
});

describe("CP-001 CP-003 the policy", () => {
  const settings = defaultCompactionSettings;

  test("the threshold is the window without the reserve", () => {
    expect(isPastThreshold(200_000 - 16_384, settings, 200_000)).toBe(false);
    expect(isPastThreshold(200_000 - 16_383, settings, 200_000)).toBe(true);
  });

  test("an unknown window has none", () => {
    expect(isPastThreshold(1e9, settings, 0)).toBe(false);
    expect(scaleBudget(settings, 0)).toEqual({ reserveTokens: 16_384, keepRecentTokens: 20_000 });
  });

  test.each([4096, 8192, 16_384, 32_768, 65_536, 128_000, 200_000, 1_000_000])(
    "window %i: what a compaction leaves is far below the threshold",
    (window) => {
      const budget = scaleBudget(settings, window);
      const left = budget.keepRecentTokens + summaryLimit(budget, 0);
      expect(isPastThreshold(left + leastWorthwhile(budget), settings, window)).toBe(false);
      expect(left).toBeLessThan(0.65 * (window - budget.reserveTokens));
    },
  );

  test("CP-008 the summary's limit is 0.8 of the reserve, and no more than the model's", () => {
    expect(summaryLimit(settings, 0)).toBe(13_107);
    expect(summaryLimit(settings, 32_000)).toBe(13_107);
    expect(summaryLimit(settings, 8192)).toBe(8192);
    expect(summaryLimit({ ...settings, reserveTokens: 0 }, 0)).toBe(1);
  });
});
