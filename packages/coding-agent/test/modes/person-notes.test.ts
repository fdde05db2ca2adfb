import { describe, expect, test } from "vitest";
import { toNotice, toWorkNote } from "../../src/modes/person-notes.ts";
import type { AgentSessionEvent } from "../../src/session/events.ts";

const failedSummary = { result: null, aborted: false, willRetry: false, errorMessage: "no tokens left" } as const;
const stoppedSummary = { result: null, aborted: true, willRetry: false, errorMessage: "aborted" } as const;
const custom = (customType: string, display: boolean): AgentSessionEvent => ({
  type: "message_end",
  message: { role: "custom", customType, content: "Look at this.", display, timestamp: 0 },
});

describe("what went wrong and what is waited for is told to everybody", () => {
  const events: [AgentSessionEvent, string][] = [
    [
      { type: "auto_retry_start", attempt: 2, maxAttempts: 3, delayMs: 4000, errorMessage: "529 from anthropic: overloaded" },
      "529 from anthropic: overloaded. Trying again in 4 s (2 of 3).",
    ],
    [
      { type: "auto_compaction_start", reason: "threshold" },
      "The conversation nearly fills the model's context window. Summarising it.",
    ],
    [
      { type: "auto_compaction_start", reason: "overflow" },
      "The conversation is longer than the model's context window. Summarising it.",
    ],
    [{ type: "compaction_start", reason: "manual" }, "Summarising the conversation."],
    [{ type: "auto_compaction_end", reason: "threshold", ...failedSummary }, "The conversation was not summarised: no tokens left"],
    [{ type: "compaction_end", reason: "manual", ...failedSummary }, "The conversation was not summarised: no tokens left"],
    [
      { type: "extension_error", extensionPath: "/x.ts", event: "turn_end", error: "no (line 3)" },
      "The extension /x.ts failed at turn_end: no (line 3)",
    ],
    [{ type: "error", error: "Cannot write the session file" }, "Cannot write the session file"],
  ];
  test.each(events)("%j", (event, line) => {
    expect(toNotice(event)).toBe(line);
    expect(toWorkNote(event)).toBe(line);
  });
});

describe("who watches the work is also told why an answer begins again, and what extensions show", () => {
  const events: [AgentSessionEvent, string][] = [
    [
      {
        type: "ttsr_triggered",
        rules: [
          { name: "no-any", path: "/r.md" },
          { name: "no-sleep", path: "/s.md" },
        ],
      },
      "The answer broke the rule no-any and the rule no-sleep and was stopped. The model starts it again.",
    ],
    [
      { type: "todo_reminder", todos: [], attempt: 1, maxAttempts: 3 },
      "The model stopped before its todo list was done. Reminding it (1 of 3).",
    ],
    [custom("my-note", true), "Look at this."],
  ];
  test.each(events)("%j", (event, line) => {
    expect(toNotice(event)).toBeUndefined();
    expect(toWorkNote(event)).toBe(line);
  });
});

test.each<AgentSessionEvent>([
  { type: "agent_settled" },
  { type: "auto_retry_end", success: false, attempt: 3, finalError: "told by the outcome" },
  { type: "limit_reached", limit: "max-turns", value: 2 },
  { type: "auto_compaction_end", reason: "overflow", ...stoppedSummary },
  { type: "extension_error", extensionPath: "/x.ts", event: "load", error: "told when the session was made" },
  { type: "session_info_changed", name: "x" },
  custom("hidden", false),
  custom("ttsr", true),
  custom("todo-reminder", true),
])("nobody need be told of %j", (event) => {
  expect(toWorkNote(event)).toBeUndefined();
});
