import { homedir } from "node:os";
import { join } from "node:path";
import type { Model } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import { renderStatusLine, type Status, shorten } from "../../../../src/modes/terminal/layout/status-line.ts";
import { visibleWidth } from "../../../../src/modes/terminal/library.ts";
import { createTheme } from "../../../../src/modes/terminal/theme/create-theme.ts";

const plain = createTheme({ colors: 0, isLight: false });
const colored = createTheme({ colors: 16, isLight: false });
const model = { id: "sonnet", provider: "anthropic", reasoning: true } as Model;

const status: Status = {
  cwd: join(homedir(), "work"),
  branch: "main",
  sessionName: "Refactoring",
  model,
  level: "high",
  context: { tokens: 20_000, contextWindow: 200_000, percent: 10 },
  cost: 1.234,
  texts: ["build: ok", "tests: red"],
};

test("says where, which session, which model, how much, and the texts of extensions, in one safe line", () => {
  expect(renderStatusLine(status, plain, 200)).toBe(
    "~/work (main) · Refactoring · sonnet:high · 10% of 200k · $1.23 · build: ok · tests: red",
  );
});

test("leaves out what is not there, and says what to do without a model", () => {
  const little = { ...status, branch: undefined, sessionName: null, context: undefined, cost: 0, texts: [] };
  expect(renderStatusLine(little, plain, 80)).toBe("~/work · sonnet:high");
  expect(renderStatusLine({ ...little, model: { ...model, reasoning: false } }, plain, 80)).toBe("~/work · sonnet");
  expect(renderStatusLine({ ...little, model: undefined }, plain, 80)).toBe("~/work · no model: /login or /model");
  const unknown = { tokens: null, contextWindow: 200_000, percent: null };
  expect(renderStatusLine({ ...little, context: unknown }, plain, 80)).toBe("~/work · sonnet:high");
});

test("small costs have three digits", () => {
  expect(renderStatusLine({ ...status, cost: 0.0123 }, plain, 200)).toContain("$0.012");
});

test("a narrow terminal loses the least important parts first, and a line is never wider than it", () => {
  const shown = (width: number) => renderStatusLine(status, plain, width);
  expect(shown(75)).toBe("~/work (main) · sonnet:high · 10% of 200k · $1.23 · build: ok · tests: red");
  expect(shown(60)).toBe("~/work (main) · sonnet:high · 10% of 200k · $1.23");
  expect(shown(45)).toBe("~/work (main) · sonnet:high · 10% of 200k");
  expect(shown(30)).toBe("sonnet:high · 10% of 200k");
  expect(shown(20)).toBe("sonnet:high");
  for (let width = 1; width < 100; width += 1) expect(visibleWidth(shown(width))).toBeLessThanOrEqual(width);
});

test("a context that is nearly full is coloured as a warning", () => {
  const full = { ...status, context: { tokens: 160_000, contextWindow: 200_000, percent: 80 } };
  expect(renderStatusLine(full, colored, 200)).toContain(colored.warning("80% of 200k"));
  const free = { ...full, context: { ...full.context, percent: 79.4 } };
  expect(renderStatusLine(free, colored, 200)).not.toContain("\x1b[33m");
});

describe("a count in few characters", () => {
  test.each([
    [0, "0"],
    [999, "999"],
    [1000, "1.0k"],
    [9949, "9.9k"],
    [10_000, "10k"],
    [128_000, "128k"],
    [1_000_000, "1.0M"],
  ])("%i is %s", (count, text) => {
    expect(shorten(count)).toBe(text);
  });
});
