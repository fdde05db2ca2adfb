import { beforeEach, expect, test, vi } from "vitest";
import { WorkLine } from "../../../../src/modes/terminal/layout/work-line.ts";
import { visibleWidth } from "../../../../src/modes/terminal/library.ts";
import { createTheme } from "../../../../src/modes/terminal/theme/create-theme.ts";
import type { AgentSessionEvent } from "../../../../src/session/events.ts";
import { assistantMessage } from "../../../helpers/messages.ts";

const plain = createTheme({ colors: 0, isLight: false });
const startMs = 1_000_000;

beforeEach(() => {
  vi.useFakeTimers({ now: startMs, toFake: ["Date"] });
  return () => vi.useRealTimers();
});

/** The text of the line after some milliseconds, without the sign of life. */
function shown(line: WorkLine, afterMs = 0, width = 80): string {
  return line
    .render(plain, width, { nowMs: startMs + afterMs })
    .map((each) => each.slice(2))
    .join("\n");
}

function answer(output: number) {
  const message = assistantMessage("");
  return { ...message, usage: { ...message.usage, output } };
}

const update = (type: string, output: number): AgentSessionEvent =>
  ({ type: "message_update", message: answer(output), assistantMessageEvent: { type } }) as AgentSessionEvent;
const toolStart = { type: "tool_execution_start", toolCallId: "1", toolName: "bash\x1b[2J", args: {} } as const;

test("follows a run: what the agent does, for how long, and how many tokens it has written", () => {
  const line = new WorkLine();
  expect([line.isActive, line.render(plain, 80)]).toEqual([false, []]);
  line.show({ type: "agent_start" });
  expect([line.isActive, shown(line)]).toEqual([true, "Working 0 s · Esc stops"]);
  line.show({ type: "turn_start" });
  expect(shown(line, 1999)).toBe("Waiting for the model 1 s · Esc stops");
  line.show(update("thinking_start", 0));
  expect(shown(line, 2000)).toBe("Thinking 2 s · Esc stops");
  line.show(update("text_start", 10));
  line.show(update("text_delta", 1500));
  expect(shown(line, 59_999)).toBe("Answering 59 s · 1.5k tokens · Esc stops");
  line.show(update("toolcall_start", 1600));
  expect(shown(line, 60_000)).toBe("Preparing a tool call 1 min 0 s · 1.6k tokens · Esc stops");
  line.show({ type: "message_end", message: answer(1700) });
  line.show(toolStart);
  expect(shown(line, 125_000)).toBe("Running bash 2 min 5 s · 1.7k tokens · Esc stops");
  line.show(update("text_delta", 300));
  expect(shown(line, 125_000)).toContain("2.0k tokens");
  line.show({ type: "agent_settled" });
  expect([line.isActive, shown(line)]).toEqual([false, ""]);
});

test("the next run begins to count anew", () => {
  const line = new WorkLine();
  line.show({ type: "agent_start" });
  line.show({ type: "message_end", message: answer(1700) });
  line.show({ type: "agent_settled" });
  line.show({ type: "agent_start" });
  expect(shown(line)).toBe("Working 0 s · Esc stops");
});

test("says that it waits for the user", () => {
  const line = new WorkLine();
  line.show({ type: "agent_start" });
  line.show(toolStart);
  expect(line.render(plain, 80, { isAsking: true, nowMs: startMs })[0]).toContain("Waiting for you 0 s");
});

test("a compaction by itself is work; one in a run does not end it", () => {
  const line = new WorkLine();
  const end = { type: "compaction_end", result: null, aborted: false, willRetry: false } as const;
  line.show({ type: "compaction_start", reason: "manual" });
  expect(shown(line, 3000)).toBe("Summarising the conversation 3 s · Esc stops");
  line.show({ ...end, reason: "manual" });
  expect(line.isActive).toBe(false);
  line.show({ type: "agent_start" });
  line.show({ type: "compaction_start", reason: "threshold" });
  line.show({ ...end, reason: "threshold" });
  expect([line.isActive, shown(line)]).toEqual([true, "Summarising the conversation 0 s · Esc stops"]);
});

test("the sign of life changes every 200 ms, and the line fits the terminal", () => {
  const line = new WorkLine();
  line.show({ type: "agent_start" });
  const pictures = [0, 199, 200, 400].map((ms) => line.render(plain, 80, { nowMs: startMs + ms })[0]?.[0]);
  expect(pictures).toEqual(["⠋", "⠋", "⠙", "⠹"]);
  for (const width of [1, 10, 20, 40]) expect(visibleWidth(line.render(plain, width)[0] ?? "")).toBeLessThanOrEqual(width);
});
