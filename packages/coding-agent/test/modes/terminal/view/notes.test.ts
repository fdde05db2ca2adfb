import type { AgentMessage } from "@pikit/agent";
import { describe, expect, test } from "vitest";
import { createTheme } from "../../../../src/modes/terminal/theme/create-theme.ts";
import { ConversationView } from "../../../../src/modes/terminal/view/conversation-view.ts";
import type { AgentSessionEvent } from "../../../../src/session/events.ts";
import { assistantMessage, toolResult, userMessage } from "../../../helpers/messages.ts";
import { BlockList } from "./block-list.ts";

/** A view whose events are made by hand. */
function createView(width = 60) {
  const clock = { ms: 0 };
  const changes = { count: 0 };
  const view = new ConversationView({
    theme: createTheme({ colors: 0, isLight: false }),
    cwd: "/work",
    now: () => clock.ms,
    onChange() {
      changes.count += 1;
    },
  });
  const list = new BlockList(width);
  const show = (...events: AgentSessionEvent[]) => {
    for (const event of events) list.add(...view.show(event));
    return list.draw();
  };
  return { view, list, clock, changes, show };
}

const failed = assistantMessage("", { content: [], stopReason: "error", errorMessage: "529 from anthropic: overloaded." });
const failure: AgentSessionEvent[] = [
  { type: "message_start", message: failed },
  { type: "message_end", message: failed },
];

describe("a retry", () => {
  const errorMessage = "529 from anthropic: overloaded.";
  const start = { type: "auto_retry_start", attempt: 2, maxAttempts: 3, delayMs: 4000, errorMessage } as const;

  test("is one line that counts down, and stays one line", () => {
    const { list, clock, show, view } = createView(80);
    show(...failure, start);
    const frames = [0, 1600, 3900, 5000].map((ms) => {
      clock.ms = ms;
      return list.draw();
    });
    expect(frames).toEqual([4, 3, 1, 1].map((seconds) => `↻ ${errorMessage} Trying again in ${seconds} s (2 of 3).`));
    expect(view.isTicking).toBe(true);
    expect(show({ type: "message_start", message: assistantMessage("") })).toBe(`↻ ${errorMessage} Trying again (2 of 3).`);
    expect(view.isTicking).toBe(false);
  });

  test("keeps its end in a narrow terminal", () => {
    expect(createView(50).show(...failure, start)).toBe("↻ 529 from anthropi… Trying again in 4 s (2 of 3).");
    expect(createView(35).show(...failure, start)).toBe("↻ Trying again in 4 s (2 of 3).");
  });
});

describe("a compaction", () => {
  test("shows its reason and seconds, and then the tokens", () => {
    const { list, clock, show, view } = createView();
    show({ type: "auto_compaction_start", reason: "threshold" }, { type: "compaction_start", reason: "threshold" });
    clock.ms = 3000;
    expect(list.draw()).toBe("The conversation nearly fills the model's context window.\nSummarising it. 3 s");
    expect(view.isTicking).toBe(true);
    const result = { summary: "s", tokensBefore: 150_000, estimatedTokensAfter: 12_000 } as never;
    const end = { reason: "threshold", result, aborted: false, willRetry: false } as const;
    expect(show({ type: "auto_compaction_end", ...end }, { type: "compaction_end", ...end })).toBe(
      "Summarised the conversation: 150,000 → 12,000 tokens.",
    );
    expect(view.isTicking).toBe(false);
  });

  test("that was needed for the answer replaces its error; a failure says why", () => {
    const { show } = createView(80);
    const end = { reason: "overflow", result: null, aborted: false, willRetry: false, errorMessage: "no model" } as const;
    expect(show(...failure, { type: "auto_compaction_start", reason: "overflow" }, { type: "auto_compaction_end", ...end })).toBe(
      "The conversation was not summarised: no model",
    );
    const stopped = { ...end, reason: "manual", aborted: true } as const;
    expect(
      show({ type: "compaction_start", reason: "manual" }, { type: "compaction_end", ...stopped })
        .split("\n")
        .at(-1),
    ).toBe("The conversation was not summarised: stopped.");
  });
});

test("rules, reminders, limits and errors are notes", () => {
  const { show } = createView(100);
  const aborted = assistantMessage("", { content: [], stopReason: "aborted", errorMessage: "Stopped." });
  expect(
    show(
      { type: "message_start", message: aborted },
      { type: "message_end", message: aborted },
      { type: "ttsr_triggered", rules: [{ name: "no-any", path: "/rules/no-any.md" }] },
      { type: "todo_reminder", todos: [], attempt: 1, maxAttempts: 3 },
      { type: "limit_reached", limit: "max-turns", value: 5 },
      { type: "extension_error", extensionPath: "/ext.ts", event: "turn_end", error: "b\x1b[2Jroken" },
      { type: "error", error: "The disk is full." },
      { type: "queue_update", steering: [], followUp: [] },
    ).split("\n\n"),
  ).toEqual([
    "The answer broke the rule no-any and was stopped. The model starts it again.",
    "The model stopped before its todo list was done. Reminding it (1 of 3).",
    "Stopped: the run reached its limit --max-turns (5).",
    "The extension /ext.ts failed at turn_end: broken",
    "The disk is full.",
  ]);
});

describe("messages", () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA10dzkAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

  test("of the user have a mark, their images and documents, and long ones are folded", () => {
    const { show } = createView(40);
    const content = [
      { type: "text", text: "Look at this picture and tell me what you see" },
      { type: "image", data: png, mimeType: "image/png" },
    ] as const;
    const attachments = [{ id: "1", type: "document", fileName: "a\x1b.pdf", mimeType: "application/pdf", size: 2048 }] as const;
    const message = { ...userMessage([...content]), attachments: [...attachments] };
    expect(show({ type: "message_start", message }, { type: "message_end", message })).toBe(`› Look at this picture and tell me what
  you see
  [image 1: 640×480, 70 B]
  [a.pdf, 2.0 KB]`);
    const long = userMessage(Array.from({ length: 100 }, (_, index) => `row ${index}`).join("\n"));
    const lines = show({ type: "message_start", message: long }).split("\n");
    expect(lines.slice(-2)).toEqual(["  row 39", "  … 60 more lines"]);
  });

  test("of extensions are shown if they should be", () => {
    const { show } = createView();
    const message = (content: string, display: boolean): AgentSessionEvent => ({
      type: "message_end",
      message: { role: "custom", customType: "note", content, display, timestamp: 1 },
    });
    expect(show(message("secret", false), message("# Done\nAll **good**.", true))).toBe("Done\n\nAll good.");
  });
});

describe("commands of the user", () => {
  test("show their output while they run, and then its end and the exit code", () => {
    const { view, list, clock, changes } = createView(40);
    const shell = view.showShell("make all\ttests", true);
    list.add(shell);
    expect(list.draw()).toBe("!! make all tests");
    for (let line = 1; line <= 12; line++) shell.addOutput(`out ${line}\n`);
    clock.ms = 2000;
    expect(list.draw()).toBe("!! make all tests\n  out 8\n  out 9\n  out 10\n  out 11\n  out 12\n  2 s");
    expect([view.isTicking, changes.count]).toEqual([true, 12]);
    const output = Array.from({ length: 12 }, (_, index) => `out ${index + 1}\n`).join("");
    shell.end({ output, exitCode: 2, cancelled: false });
    expect(list.draw()).toBe(
      `!! make all tests\n  … 4 more lines\n${[5, 6, 7, 8, 9, 10, 11, 12].map((n) => `  out ${n}\n`).join("")}  Exit code 2`,
    );
    expect([view.isTicking, changes.count]).toEqual([false, 13]);
  });

  test("without output, stopped, or ended by a signal", () => {
    const { view, list } = createView(40);
    const ends = [
      { output: "", exitCode: 0, cancelled: false },
      { output: "a\n", exitCode: null, cancelled: true },
      { output: "", exitCode: null, cancelled: false },
    ];
    for (const end of ends) {
      const shell = view.showShell("run");
      list.add(shell);
      shell.end(end);
    }
    expect(list.draw()).toBe("! run\n\n! run\n  a\n  Stopped.\n\n! run\n  Ended by a signal.");
  });
});

describe("a conversation that is continued", () => {
  test("shows the last messages and the number of the others, and reads only those", () => {
    const { view, list } = createView();
    let reads = 0;
    const messages = Array.from({ length: 5000 }, (_, index): AgentMessage => {
      const message = userMessage(`message ${index}`);
      Object.defineProperty(message, "content", {
        get() {
          reads += 1;
          return `message ${index}`;
        },
      });
      return message;
    });
    list.add(...view.showHistory(messages));
    const lines = list.draw().split("\n\n");
    expect(lines.slice(0, 2)).toEqual(["4,900 earlier messages", "› message 4900"]);
    expect(lines).toHaveLength(101);
    expect(reads).toBeLessThan(500);
  });

  test("begins with no result without its call", () => {
    const { view, list } = createView();
    const messages: AgentMessage[] = [userMessage("first"), assistantMessage("", { content: [] }), toolResult("1", "lost")];
    for (let index = 0; index < 99; index++) messages.push(userMessage(`m${index}`));
    list.add(...view.showHistory(messages));
    expect(list.draw().split("\n\n").slice(0, 2)).toEqual(["3 earlier messages", "› m0"]);
  });

  test("has summaries, commands, thinking, calls and failures", () => {
    const { view, list } = createView();
    const call = (id: string, name: string, args: Record<string, unknown>) =>
      ({ type: "toolCall", id, name, arguments: args }) as const;
    const messages: AgentMessage[] = [
      { role: "compactionSummary", summary: "x".repeat(2048), tokensBefore: 120_000, timestamp: 1 },
      { role: "branchSummary", summary: "y", fromId: "a", timestamp: 1 },
      {
        role: "bashExecution",
        command: "ls",
        output: "a\nb\n",
        exitCode: 0,
        cancelled: false,
        truncated: false,
        fullOutputPath: null,
        timestamp: 1,
      },
      assistantMessage("", {
        content: [
          { type: "thinking", thinking: "I think so." },
          { type: "text", text: "\n\n" },
          { type: "text", text: "Now." },
          call("1", "bash", { command: "true" }),
          call("2", "bash", { command: "lost" }),
        ],
      }),
      toolResult("1", "done"),
      { role: "custom", customType: "todo-reminder", content: "hidden", display: true, timestamp: 1 },
      { role: "custom", customType: "note", content: "shown", display: true, timestamp: 1 },
      { role: "newer" } as unknown as AgentMessage,
      assistantMessage("Half", { stopReason: "aborted", errorMessage: "aborted" }),
    ];
    list.add(...view.showHistory(messages));
    expect(list.draw()).toBe(`Summary of the conversation before (120,000 tokens): 2.0 KB

Summary of a branch that was left: 1 B

! ls
  a
  b

Thought: I think so.

Now.

✓ bash  true
  done

✗ bash  lost  not run

shown

Half

Stopped.`);
  });
});
