import type { AssistantMessage, AssistantMessageEvent, ToolCall } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import { visibleWidth } from "../../../../src/modes/terminal/library.ts";
import { createTheme } from "../../../../src/modes/terminal/theme/create-theme.ts";
import { ConversationView } from "../../../../src/modes/terminal/view/conversation-view.ts";
import { assistantMessage } from "../../../helpers/messages.ts";
import { BlockList } from "./block-list.ts";

/** An answer whose stream is made by hand. */
function createAnswer({ width = 60, colors = 0 } = {}) {
  const clock = { ms: 0 };
  const theme = createTheme({ colors, isLight: false });
  const view = new ConversationView({ theme, cwd: "/work", now: () => clock.ms });
  const list = new BlockList(width);
  const message: AssistantMessage = assistantMessage("", { content: [] });
  list.add(...view.show({ type: "message_start", message }));
  const send = (assistantMessageEvent: AssistantMessageEvent) => {
    list.add(...view.show({ type: "message_update", message, assistantMessageEvent }));
    return list.draw();
  };
  const stream = (kind: "text" | "thinking", contentIndex: number, ...deltas: string[]) => {
    send({ type: `${kind}_start`, contentIndex, partial: message });
    for (const delta of deltas) send({ type: `${kind}_delta`, contentIndex, delta, partial: message });
    return list.draw();
  };
  const end = (kind: "text" | "thinking", contentIndex: number) =>
    send({ type: `${kind}_end`, contentIndex, content: "", partial: message });
  return { view, list, clock, message, send, stream, end };
}

describe("thinking", () => {
  const text = "First I look.\n\nThen I think about it for a while, because it is hard.\nNow I know what to do.\nSo I do it";

  test("shows its last lines, and one line in the end", () => {
    const { clock, stream, end } = createAnswer({ width: 40 });
    expect(stream("thinking", 0, "\n ", ...text.split(/(?<= )/))).toBe(`Thinking
  because it is hard.
  Now I know what to do.
  So I do it`);
    clock.ms = 12_300;
    expect(end("thinking", 0)).toBe("Thought for 12 s: First I look. Then I …");
  });

  test("is shown in full if the user wants it, line by line, also when that changes in between", () => {
    const { view, list, clock, stream, send, end, message } = createAnswer({ width: 40 });
    view.showsThinking = true;
    stream("thinking", 0, text);
    expect(list.printed).toEqual([
      "  First I look.",
      "",
      "  Then I think about it for a while,",
      "  because it is hard.",
      "  Now I know what to do.",
    ]);
    expect(list.draw().split("\n").at(-1)).toBe("  So I do it");
    view.showsThinking = false;
    send({ type: "thinking_delta", contentIndex: 0, delta: " now.\n\n", partial: message });
    clock.ms = 65_000;
    expect(end("thinking", 0).split("\n").slice(5)).toEqual(["Thought for 1 min 5 s: First I look. Th…"]);
  });

  test("without text shows nothing", () => {
    const { stream, end } = createAnswer();
    stream("thinking", 0, "", " \n");
    expect(end("thinking", 0)).toBe("");
  });
});

describe("a text", () => {
  test("is printed part by part; only the last part is drawn again", () => {
    const { list, stream, end } = createAnswer();
    stream("text", 0, "\n\n", "# Title\n", "One para", "graph.\n\n- a\n- b\n  be");
    expect(list.printed).toEqual(["Title", "", "One paragraph.", "", "- a"]);
    expect(list.draw()).toBe("Title\n\nOne paragraph.\n\n- a\n- b\n  be");
    end("text", 0);
    expect(list.printed.slice(-2)).toEqual(["- b", "  be"]);
  });

  test("follows the thinking; texts that interleave keep their order", () => {
    const { stream, end, send, message } = createAnswer();
    stream("thinking", 0, "Hm.");
    stream("text", 1, "Answer");
    send({ type: "thinking_delta", contentIndex: 0, delta: " Well.", partial: message });
    expect(send({ type: "text_delta", contentIndex: 1, delta: " here.", partial: message })).toBe(
      "Thinking\n  Hm. Well.\n\nAnswer here.",
    );
    end("thinking", 0);
    expect(end("text", 1)).toBe("Thought: Hm. Well.\n\nAnswer here.");
  });
});

describe("a tool call", () => {
  test("is one line that grows with its arguments, runs, and has its result", () => {
    const { view, list, clock, message, send } = createAnswer();
    const call: ToolCall = { type: "toolCall", id: "1", name: "write", arguments: {} };
    message.content.push(call);
    const frames = [send({ type: "toolcall_start", contentIndex: 0, partial: message })];
    for (const args of [{ path: "/work/src/a.ts" }, { path: "/work/src/a.ts", content: "one\ntwo" }]) {
      call.arguments = args;
      frames.push(send({ type: "toolcall_delta", contentIndex: 0, delta: "", partial: message }));
    }
    list.add(...view.show({ type: "message_end", message }));
    list.add(...view.show({ type: "tool_execution_start", toolCallId: "1", toolName: "write", args: call.arguments }));
    clock.ms = 3000;
    frames.push(list.draw());
    const result = { content: [{ type: "text" as const, text: "Created." }], details: { bytes: 7, created: true } };
    list.add(...view.show({ type: "tool_execution_end", toolCallId: "1", toolName: "write", result, isError: false }));
    frames.push(list.draw());
    expect(frames).toEqual([
      "▸ write",
      "▸ write  src/a.ts",
      "▸ write  src/a.ts  2 lines",
      "▸ write  src/a.ts  2 lines  3 s",
      "✓ write  src/a.ts  2 lines  7 B  3 s\n  one\n  two",
    ]);
    expect(list.printed.join("\n")).toBe(frames.at(-1));
  });

  test("shows what its tool reports while it runs, unless the output comes by itself", () => {
    const { view, list } = createAnswer();
    const update = (text: string) => {
      const partialResult = { content: [{ type: "text" as const, text }], details: null };
      list.add(...view.show({ type: "tool_execution_update", toolCallId: "1", toolName: "delegate", args: {}, partialResult }));
      return list.draw().split("\n").slice(1);
    };
    list.add(...view.show({ type: "tool_execution_start", toolCallId: "1", toolName: "delegate", args: { task: "Look" } }));
    expect(update("step 1\nstep 2")).toEqual(["  step 1", "  step 2"]);
    expect(update("step 1\nstep 2\nstep 3\n")).toEqual(["  step 1", "  step 2", "  step 3"]);
    view.showCommandOutput("other", "lost\n");
    view.showCommandOutput("1", "\nown\n");
    expect(update("step 4").at(-1)).toBe("  own");
  });

  test("keeps the time of its run, and its lines while it waits for the one above", () => {
    const { view, list, clock } = createAnswer();
    const start = (toolCallId: string, command: string) =>
      list.add(...view.show({ type: "tool_execution_start", toolCallId, toolName: "bash", args: { command } }));
    const end = (toolCallId: string) => {
      const result = { content: [{ type: "text" as const, text: "long\n".repeat(10) }], details: null };
      list.add(...view.show({ type: "tool_execution_end", toolCallId, toolName: "bash", result, isError: false }));
    };
    start("1", "one");
    start("2", "two");
    clock.ms = 2000;
    end("2");
    clock.ms = 9000;
    const lines = list.draw().split("\n");
    expect(lines.slice(0, 3)).toEqual(["▸ bash  one  9 s", "", "✓ bash  two  2 s"]);
    expect(lines).toHaveLength(12);
    view.showsToolOutput = true;
    expect(list.draw().split("\n")).toHaveLength(13);
    expect(list.printed).toEqual([]);
    end("1");
    expect(list.draw().split("\n")[0]).toBe("✓ bash  one  9 s");
  });

  test("with a long diff says how many lines are left", () => {
    const { view, list } = createAnswer();
    const diff = `--- a\n+++ a\n@@ -1,0 +1,60 @@\n${"+x\n".repeat(60)}`;
    list.add(...view.show({ type: "tool_execution_start", toolCallId: "1", toolName: "edit", args: { path: "/work/a" } }));
    const result = { content: [{ type: "text" as const, text: "Edited." }], details: { diff } };
    list.add(...view.show({ type: "tool_execution_end", toolCallId: "1", toolName: "edit", result, isError: false }));
    const lines = list.draw().split("\n");
    expect([lines[0], lines.length, lines.at(-1)]).toEqual(["✓ edit  a  +60 -0", 42, "  … 20 more lines"]);
  });

  test("of an answer that was cut at its limit says so", () => {
    const { view, list, message, stream } = createAnswer();
    stream("text", 0, "Half");
    message.content.push({ type: "text", text: "Half" });
    list.add(...view.show({ type: "message_end", message: { ...message, stopReason: "length" } }));
    expect(list.draw()).toBe("Half\n\nThe answer reached its output limit and was cut.");
  });

  test("of an answer that failed was not run", () => {
    const { view, list, message, send } = createAnswer();
    message.content.push({ type: "toolCall", id: "1", name: "bash", arguments: { command: "ls" } });
    send({ type: "toolcall_start", contentIndex: 0, partial: message });
    const failed = { ...message, stopReason: "error" as const, errorMessage: "The connection broke." };
    list.add(
      ...view.show({ type: "message_end", message: failed }),
      ...view.show({ type: "agent_end", messages: [], willRetry: false }),
    );
    expect(list.draw()).toBe(`✗ bash  ls  not run

✗ The connection broke.
  Check the connection, then send a message to continue.`);
  });

  test("shows the images of its result by their sizes, and long output in full if the user wants it", () => {
    const { view, list } = createAnswer();
    view.showsToolOutput = true;
    const text = Array.from({ length: 250 }, (_, index) => `row ${index + 1}`).join("\n");
    const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
    list.add(
      ...view.show({ type: "tool_execution_start", toolCallId: "1", toolName: "server__shot", args: { url: "http://a.b", at: 3 } }),
    );
    list.add(
      ...view.show({
        type: "tool_execution_end",
        toolCallId: "1",
        toolName: "server__shot",
        result: { content: [{ type: "text", text }, image], details: null },
        isError: false,
      }),
    );
    const lines = list.draw().split("\n");
    expect(lines[0]).toBe("✓ server__shot  url: http://a.b, at: 3");
    expect(lines.slice(200)).toEqual(["  row 200", "  … 50 more lines", "  [image 1: image/png, 3 B]"]);
  });

  test("shows an edit with colours and the numbers of its lines", () => {
    const { view, list } = createAnswer({ colors: 16 });
    const diff = "--- a\n+++ a\n@@ -9,3 +9,3 @@\n same\n-old\n+new\n \n@@ -200,1 +200,2 @@\n+more\n x\n";
    list.add(...view.show({ type: "tool_execution_start", toolCallId: "1", toolName: "edit", args: { path: "a" } }));
    const result = { content: [{ type: "text" as const, text: "Edited." }], details: { diff } };
    list.add(...view.show({ type: "tool_execution_end", toolCallId: "1", toolName: "edit", result, isError: false }));
    expect(list.draw().split("\n")).toEqual([
      "\x1b[32m✓\x1b[39m \x1b[35medit\x1b[39m  a  \x1b[32m+2\x1b[39m \x1b[31m-1\x1b[39m",
      "  \x1b[90m  9\x1b[39m   \x1b[90msame\x1b[39m",
      "  \x1b[31m 10 -\x1b[39m \x1b[31mold\x1b[39m",
      "  \x1b[32m 10 +\x1b[39m \x1b[32mnew\x1b[39m",
      "  \x1b[90m 11\x1b[39m",
      "  \x1b[90m  ⋮\x1b[39m",
      "  \x1b[32m200 +\x1b[39m \x1b[32mmore\x1b[39m",
      "  \x1b[90m201\x1b[39m   \x1b[90mx\x1b[39m",
    ]);
  });
});

test("no line is wider than the terminal, and nothing controls it, whatever comes from outside", () => {
  const hostile = `\x1b[2J\x1b]0;title\x07${"漢字".repeat(60)}\t\r\n${"x".repeat(5000)}\u009b31m 👩‍👩‍👧‍👦é\n| a | ${"b".repeat(90)} |\n|---|---|\n| 1 | 2 |\n`;
  for (const width of [10, 20, 40, 80]) {
    const { view, list, stream, end } = createAnswer({ width });
    stream("thinking", 0, hostile);
    stream("text", 1, hostile);
    for (const name of ["bash", "read", "edit", "write", "grep", "find", "ls", "todo", "delegate", hostile]) {
      const args = { command: hostile, path: hostile, content: hostile, pattern: hostile, task: hostile, [hostile]: hostile };
      const details = { diff: `@@ -1,1 +1,2 @@\n-${hostile}+${hostile}`, outputLines: 3, matches: 2, outputEntries: 1, bytes: 5 };
      const result = { content: [{ type: "text" as const, text: hostile }], details };
      for (const isError of [false, true]) {
        list.add(...view.show({ type: "tool_execution_start", toolCallId: name, toolName: name, args }));
        list.add(...view.show({ type: "tool_execution_update", toolCallId: name, toolName: name, args, partialResult: result }));
        list.draw();
        view.showsToolOutput = !view.showsToolOutput;
        list.add(...view.show({ type: "tool_execution_end", toolCallId: name, toolName: name, result, isError }));
      }
    }
    const failed = assistantMessage("", { content: [], stopReason: "error", errorMessage: hostile });
    list.add(...view.show({ type: "message_end", message: failed }), ...view.show({ type: "agent_settled" }));
    list.add(...view.show({ type: "error", error: hostile }));
    list.add(...view.show({ type: "message_start", message: { role: "user", content: hostile, timestamp: 1 } }));
    const live = list.draw();
    end("thinking", 0);
    end("text", 1);
    for (const line of `${live}\n${list.draw()}`.split("\n")) {
      expect(visibleWidth(line)).toBeLessThanOrEqual(width);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those are not expected
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    }
  }
});
