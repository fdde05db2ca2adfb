import { join } from "node:path";
import { createScriptedModel, type Script, type ScriptedAnswer } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import { visibleWidth } from "../../../../src/modes/terminal/library.ts";
import { createTheme } from "../../../../src/modes/terminal/theme/create-theme.ts";
import { ConversationView } from "../../../../src/modes/terminal/view/conversation-view.ts";
import type { CreateAgentSessionOptions } from "../../../../src/session/options.ts";
import { nextEvent, openSession, type ScriptedSession } from "../../../helpers/sessions.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";
import { BlockList } from "./block-list.ts";

const workspace = useWorkspace();
const plain = createTheme({ colors: 0, isLight: false });

interface ShownSession extends ScriptedSession {
  view: ConversationView;
  list: BlockList;
  /** The lines of each frame that was drawn after an event, without repetitions. */
  frames: string[];
}

/** A session whose events are shown and drawn one by one. */
async function showSession(
  script: Script | readonly ScriptedAnswer[],
  { width = 80, colors = 0, ...options }: CreateAgentSessionOptions & { width?: number; colors?: number } = {},
): Promise<ShownSession> {
  const list = new BlockList(width);
  const view = new ConversationView({ theme: createTheme({ colors, isLight: false }), cwd: workspace.cwd, now: () => 0 });
  const opened = await openSession(workspace, {
    model: createScriptedModel({ script }),
    session: "memory",
    onCommandOutput: (toolCallId, _stream, chunk) => view.showCommandOutput(toolCallId, chunk),
    ...options,
  });
  const frames: string[] = [""];
  opened.session.subscribe((event) => {
    list.add(...view.show(event));
    const frame = list.draw();
    if (frame !== frames.at(-1)) frames.push(frame);
  });
  return { ...opened, view, list, frames };
}

function linesUpTo(last: number): string {
  return Array.from({ length: last }, (_, index) => `line ${index + 1}\n`).join("");
}

const work: ScriptedAnswer[] = [
  {
    thinking: "**Plan**\nFirst I look at the file, then I change it, and in the end I run the tests.",
    text: "I'll look at it.\n\n",
    toolCalls: [
      { name: "read", arguments: { path: "a.txt", offset: 2, limit: 5 } },
      { name: "grep", arguments: { pattern: "line 1", glob: "*.txt" } },
      { name: "find", arguments: { pattern: "*.txt" } },
      { name: "ls", arguments: {} },
    ],
  },
  {
    toolCalls: [
      {
        name: "edit",
        arguments: { path: "a.txt", oldText: "line 3\nline 4\n", newText: "line three\nline four\nline four and a half\n" },
      },
    ],
  },
  {
    toolCalls: [
      { name: "bash", arguments: { command: "seq 1 30\nprintf 'a\\tb\\n'" } },
      { name: "bash", arguments: { command: "exit 3" } },
      { name: "bash", arguments: { command: "true" } },
    ],
  },
  {
    toolCalls: [
      { name: "write", arguments: { path: "new.ts", content: "a\nb\nc\nd\ne\nf\ng\nh\n" } },
      { name: "read", arguments: { path: "missing.txt" } },
      { name: "unknown", arguments: { a: 1, b: ["x"], c: { d: 1 }, e: "text" } },
    ],
  },
  { text: "Done: **all** of it.\n- a\n- b\n" },
];

const workAt80 = `› Change line 3.
  And test it.

Thought: Plan First I look at the file, then I change it, and in the end I run …

I'll look at it.

✓ read  a.txt:2-6  5 lines

✓ grep  "line 1"  *.txt  11 matches
  a.txt:1: line 1
  a.txt:10: line 10
  a.txt:11: line 11
  a.txt:12: line 12
  a.txt:13: line 13
  … 6 more lines

✓ find  *.txt  1 entry

✓ ls  .  1 entry

✓ edit  a.txt  +3 -2
  1   line 1
  2   line 2
  3 - line 3
  4 - line 4
  3 + line three
  4 + line four
  5 + line four and a half
  6   line 5
  7   line 6
  8   line 7

✓ bash  seq 1 30 ↵ printf 'a\\tb\\n'
  … 23 more lines
  24
  25
  26
  27
  28
  29
  30
  a    b

✗ bash  exit 3
  Command exited with code 3.

✓ bash  true

✓ write  new.ts  8 lines  16 B
  a
  b
  c
  d
  e
  … 3 more lines

✗ read  missing.txt
  Cannot read missing.txt (WORK/missing.txt): there is no such file (ENOENT).
  Check the spelling, or list the folder.

✗ unknown  a: 1, b: [1], c: {…}, e: text
  There is no tool named "unknown". Available: read, bash, edit, write, grep,
  find, ls.

Done: all of it.
- a
- b`;

describe("a conversation with tools", () => {
  const tools = ["read", "bash", "edit", "write", "grep", "find", "ls"] as const;

  test("is shown as text, calls with their results, and the answer", async () => {
    await workspace.write("work/a.txt", linesUpTo(20));
    const { session, list } = await showSession(work, { tools });
    await session.prompt("Change line 3.\nAnd test it.");
    const path = join(workspace.cwd, "missing.txt");
    const shown = list.draw();
    expect(shown.split("\n").filter((line) => visibleWidth(line) > 80)).toEqual([]);
    expect(joinRows(shown.replace(/ +\n {2}/g, "\n  "), path)).toBe(joinRows(workAt80, "WORK/missing.txt"));
    expect(list.printed.join("\n")).toBe(shown);
  });

  test("no line is wider than 40 cells, and nothing else changes but the rows", async () => {
    await workspace.write("work/a.txt", linesUpTo(20));
    const { session, list, frames } = await showSession(work, { tools, width: 40 });
    await session.prompt("Change line 3.\nAnd test it.");
    for (const frame of frames) expect(frame.split("\n").filter((line) => visibleWidth(line) > 40)).toEqual([]);
    const shown = list.draw();
    expect(shown).toContain("Thought: Plan First I look at the file,…");
    expect(shown).toContain("✓ bash  seq 1 30 ↵ printf 'a\\tb\\n'");
    expect(shown.endsWith("Done: all of it.\n- a\n- b")).toBe(true);
  });

  test("a conversation that is continued looks the same, without times", async () => {
    await workspace.write("work/a.txt", linesUpTo(20));
    const { session, view, list } = await showSession(work, { tools });
    await session.prompt("Change line 3.\nAnd test it.");
    const later = new BlockList();
    later.add(...view.showHistory(session.messages));
    expect(later.draw()).toBe(list.draw());
  });

  test("each frame keeps what was printed before", async () => {
    await workspace.write("work/a.txt", linesUpTo(20));
    const { session, frames } = await showSession(work, { tools });
    await session.prompt("Go.");
    expect(frames.length).toBeGreaterThan(20);
    expect(frames.slice(0, 5)).toEqual([
      "",
      "› Go.",
      "› Go.\n\nThinking\n  **Plan**",
      "› Go.\n\nThinking\n  **Plan**\n  First",
      "› Go.\n\nThinking\n  **Plan**\n  First I",
    ]);
  });
});

/** Puts the rows of the text about a missing file into one, because the length of its path is not known. */
function joinRows(text: string, path: string): string {
  return text.replace(/Cannot read[^✗]*/, (rows) => `${rows.replace(/\s+/g, " ").replace(path, "PATH").trim()}\n\n`);
}

describe("a running command", () => {
  test("shows the end of its output, which then becomes the result", async () => {
    const command = "for i in 1 2 3 4 5 6 7; do echo out $i; done; until [ -e go ]; do sleep 0.02; done; echo end";
    const { session, frames, list, view } = await showSession([
      { toolCalls: [{ name: "bash", arguments: { command } }] },
      { text: "Ok." },
    ]);
    const update = nextEvent(session, (event) => event.type === "tool_execution_update" && JSON.stringify(event).includes("out 7"));
    const run = session.prompt("Go.");
    await update;
    expect(list.draw().split("\n").slice(2)).toEqual([
      expect.stringMatching(/^▸ bash {2}for i in 1 2 3 4 5 6 7; do .*…$/),
      "  out 3",
      "  out 4",
      "  out 5",
      "  out 6",
      "  out 7",
    ]);
    expect(view.isTicking).toBe(true);
    await workspace.write("work/go", "");
    await run;
    expect(view.isTicking).toBe(false);
    expect(frames.at(-1)?.split("\n").slice(3)).toEqual([..."1234567"].map((digit) => `  out ${digit}`).concat("  end", "", "Ok."));
  });

  test("is abandoned when the run ends without its result", async () => {
    const { session, list } = await showSession([{ toolCalls: [{ name: "bash", arguments: { command: "sleep 60" } }] }]);
    const started = nextEvent(session, (event) => event.type === "tool_execution_start");
    const run = session.prompt("Go.");
    await started;
    await session.abort();
    await run;
    expect(list.draw().split("\n").at(-1)).toBe("Stopped.");
    expect(list.printed.join("\n")).toBe(list.draw());
  });
});

describe("answers that fail", () => {
  const retry = { enabled: true, maxRetries: 2, baseDelayMs: 1 };

  test("and are not repeated show the error and what to do", async () => {
    const { session, list } = await showSession([{ text: "Half", error: { status: 401, message: "invalid x-api-key" } }]);
    await session.prompt("Go.");
    expect(list.draw()).toBe(`› Go.

Half

✗ 401 from script: invalid x-api-key (check the API key configured for script)
  Check the key: \`pi login\` stores one, \`pi doctor\` shows which are set.`);
  });

  test("and are repeated become one line each, and say when the text begins again", async () => {
    const script = [
      { error: { status: 503, message: "overloaded" } },
      { text: "Half of", error: { status: 503, message: "overloaded" } },
      { text: "All of it." },
    ];
    const { session, list, frames } = await showSession(script, { retry });
    await session.prompt("Go.");
    expect(list.draw()).toBe(`› Go.

↻ 503 from script: overloaded. Tried again (1 of 2).

Half of

↻ 503 from script: overloaded. Tried again (2 of 2). The answer starts again.

All of it.`);
    expect(frames.slice(2, 5)).toEqual([
      "› Go.\n\n✗ 503 from script: overloaded",
      "› Go.\n\n↻ 503 from script: overloaded. Trying again in 1 s (1 of 2).",
      "› Go.\n\n↻ 503 from script: overloaded. Trying again (1 of 2).",
    ]);
  });

  test("and are repeated in vain show the last error", async () => {
    const script = () => ({ error: { status: 503, message: "overloaded" } });
    const { session, list } = await showSession(script, { retry });
    await session.prompt("Go.");
    expect(list.draw()).toBe(`› Go.

✗ 503 from script: overloaded
  Wait a while and send a message to continue, or choose another model with
  /model.`);
  });

  test("and whose retry is cancelled show the error", async () => {
    const script = () => ({ error: { status: 503, message: "overloaded" } });
    const { session, list, view } = await showSession(script, { retry: { ...retry, baseDelayMs: 60_000 } });
    const waiting = nextEvent(session, ({ type }) => type === "auto_retry_start");
    const run = session.prompt("Go.");
    await waiting;
    expect(view.isTicking).toBe(true);
    session.retries.cancel();
    await run;
    expect(list.draw().split("\n")[2]).toBe("✗ 503 from script: overloaded");
    expect(view.isTicking).toBe(false);
  });

  test("because the user stopped them say so", async () => {
    const script = [{ text: "I begin", delayMs: 60_000 }];
    const { session, list } = await showSession(script);
    const started = nextEvent(session, (event) => event.type === "message_start" && event.message.role === "assistant");
    const run = session.prompt("Go.");
    await started;
    await session.abort();
    await run;
    expect(list.draw()).toBe("› Go.\n\nStopped.");
  });
});

describe("the width", () => {
  test("colours do not change the rows", async () => {
    await workspace.write("work/a.txt", linesUpTo(20));
    const { session, list } = await showSession(work, { colors: 2 ** 24, tools: ["read", "bash", "edit", "write"] });
    await session.prompt("Go.");
    const other = new BlockList();
    other.add(...new ConversationView({ theme: plain, cwd: workspace.cwd }).showHistory(session.messages));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours
    const withoutColors = list.draw().replace(/\x1b\[[\d;]*m/g, "");
    expect(withoutColors).toBe(other.draw());
  });
});
