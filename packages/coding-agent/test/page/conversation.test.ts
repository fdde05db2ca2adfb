import type { AgentMessage } from "@pikit/agent";
import { expect, test } from "vitest";
import { Conversation, type ConversationListener, type Item } from "../../src/page/model/conversation.ts";
import { Questions } from "../../src/page/model/questions.ts";
import type { Frame } from "../../src/page/wire/frames.ts";
import { toolResult } from "../helpers/messages.ts";
import { answer, end, prompt, start, textFrames, update, whole } from "./frames.ts";

const silent: ConversationListener = { onReset() {}, onAdded() {}, onChanged() {}, onRemoved() {}, onCallChanged() {} };

function create(listener: Partial<ConversationListener> = {}) {
  const conversation = new Conversation({ ...silent, ...listener });
  const apply = (...frames: object[]) => {
    for (const frame of frames) conversation.apply(frame as Frame);
  };
  return { conversation, apply };
}

/** What a reader sees: the text of each item, with the state of calls. */
function shown({ items, stateOf }: Pick<Conversation, "items" | "stateOf">): string[] {
  const describe = (item: Item): string => {
    if (item.kind === "notice") return `! ${item.text}`;
    if (item.kind !== "answer")
      return `${item.message.role}: ${JSON.stringify("content" in item.message ? item.message.content : "")}`;
    const blocks = item.message.content.map((block) => {
      if (block.type === "text") return block.text;
      if (block.type === "thinking") return `(${block.thinking})`;
      const { isRunning, partial, result } = stateOf(block);
      const output = result ?? partial;
      const texts = output?.content.map((each) => (each.type === "text" ? each.text : "image")) ?? [];
      return `${block.name}${isRunning ? " runs" : ""}${result ? " →" : ""} ${texts.join()}`.trim();
    });
    return `${item.isStreaming ? "…" : "="} ${blocks.join(" | ")}`;
  };
  return items.map(describe);
}

const see = (conversation: Conversation) => shown({ items: conversation.items, stateOf: (call) => conversation.stateOf(call) });
const call = (id: string, name = "bash") => ({ type: "toolCall" as const, id, name, arguments: {} });
const text = (value: string) => ({ type: "text" as const, text: value });

test("an answer grows from its deltas, its calls show their output, and the end of the answer replaces it", () => {
  const { conversation, apply } = create();
  const message = answer([text("Hello"), call("c1")]);
  apply(...whole(prompt("Hi")), start(message), ...textFrames(0, ["Hel", "lo"]));
  expect(see(conversation)).toEqual(['user: "Hi"', "… Hello"]);
  apply(update({ type: "toolcall_start", contentIndex: 1, id: "c1", toolName: "bash" }));
  apply(update({ type: "toolcall_end", contentIndex: 1, toolCall: call("c1") }), end(message));
  apply({ type: "tool_execution_start", toolCallId: "c1", toolName: "bash", args: {} });
  expect(see(conversation).at(-1)).toBe("= Hello | bash runs");
  const partialResult = { content: [text("out")], details: null };
  apply({ type: "tool_execution_update", toolCallId: "c1", toolName: "bash", args: {}, partialResult });
  expect(see(conversation).at(-1)).toBe("= Hello | bash runs out");
  apply(...whole(toolResult("c1", "output")));
  expect(see(conversation).at(-1)).toBe("= Hello | bash → output");
});

test("ids of calls that come again belong to the latest call", () => {
  const { conversation, apply } = create();
  for (const output of ["first", "second"]) apply(...whole(answer([call("same")])), ...whole(toolResult("same", output)));
  expect(see(conversation)).toEqual(["= bash → first", "= bash → second"]);
});

test("a result without a call is shown by itself, and a message that is not shown has no effect on others", () => {
  const { conversation, apply } = create();
  apply(...whole(toolResult("unknown", "late")));
  conversation.addNotice("note");
  expect(see(conversation)).toEqual(['toolResult: [{"type":"text","text":"late"}]', "! note"]);
});

/** Frames of a run, and the messages that are stored after each of them. */
function story(): { frames: object[]; storedAfter: AgentMessage[][] } {
  const first = prompt("Hi");
  const one = answer([text("One"), call("c1")]);
  const result = toolResult("c1", "output");
  const two = answer([text("Two")]);
  const steps: [object, AgentMessage?][] = [
    [{ type: "message_start", message: first }],
    [end(first as never), first],
    [start(one)],
    ...textFrames(0, ["O", "ne"]).map((frame): [object] => [frame]),
    [update({ type: "toolcall_start", contentIndex: 1, id: "c1", toolName: "bash" })],
    [update({ type: "toolcall_end", contentIndex: 1, toolCall: call("c1") })],
    [end(one), one],
    [{ type: "tool_execution_start", toolCallId: "c1", toolName: "bash", args: {} }],
    [
      {
        type: "tool_execution_end",
        toolCallId: "c1",
        toolName: "bash",
        result: { content: [text("output")], details: null },
        isError: false,
      },
    ],
    [{ type: "message_start", message: result }],
    [end(result as never), result],
    [start(two)],
    ...textFrames(0, ["T", "wo"]).map((frame): [object] => [frame]),
    [end(two), two],
  ];
  const stored: AgentMessage[] = [];
  const storedAfter = steps.map(([, message]) => {
    if (message) stored.push(message);
    return [...stored];
  });
  return { frames: steps.map(([frame]) => frame), storedAfter };
}

test("wherever a connection begins, and whenever the history was read, the conversation is the same", () => {
  const { frames, storedAfter } = story();
  const wanted = ['user: "Hi"', "= One | bash → output", "= Two"];
  for (let begin = 0; begin < frames.length; begin += 1) {
    for (let read = begin; read < frames.length; read += 1) {
      const { conversation, apply } = create();
      // The server knows the frames up to `begin`; the history is read later, and arrives before or after frames that it has.
      conversation.resync(stateAfter(frames, begin));
      const history = storedAfter[read] ?? [];
      for (const arrives of [begin, read, frames.length - 1]) {
        const again = create();
        again.conversation.resync(stateAfter(frames, begin));
        again.apply(...frames.slice(begin + 1, arrives + 1));
        again.conversation.load(history);
        again.apply(...frames.slice(arrives + 1));
        expect(see(again.conversation), `begin ${begin}, read ${read}, arrives ${arrives}`).toEqual(wanted);
      }
      conversation.load(history);
      apply(...frames.slice(begin + 1));
      expect(see(conversation)).toEqual(wanted);
    }
  }
});

/** What a `resync` after a frame has: the open answer, and the calls that run. */
function stateAfter(frames: readonly object[], index: number): Parameters<Conversation["resync"]>[0] {
  const known = create();
  const running: object[] = [];
  for (const frame of frames.slice(0, index + 1) as { type: string }[]) {
    known.apply(frame);
    if (frame.type === "tool_execution_start") running.push(frame);
    if (frame.type === "tool_execution_end") running.pop();
  }
  const last = known.conversation.items.at(-1);
  const message = last?.kind === "answer" && last.isStreaming ? { message: last.message } : {};
  return { ...message, running: running as never };
}

test("an answer that streams changes its own item only", () => {
  const changed: Item[] = [];
  const { conversation, apply } = create({ onChanged: (item) => changed.push(item) });
  apply(...whole(prompt("Hi")), start(answer([])), ...textFrames(0, ["a", "b"]));
  expect(new Set(changed)).toEqual(new Set([conversation.items[1]]));
});

test("questions: sent again after a reconnection, answered elsewhere, answered here but lost on the way", () => {
  const questions = new Questions();
  const ask = (id: string, again = false) =>
    questions.apply({
      type: "extension_ui_request",
      id,
      method: "confirm",
      title: "?",
      message: "",
      ...(again && { again }),
    } as Frame);
  expect([ask("a"), ask("b"), ask("a", true)]).toEqual([true, true, false]);
  expect(questions.apply({ type: "extension_ui_response", id: "a", cancelled: true })).toBe(true);
  const [question] = questions.open;
  questions.close("b");
  expect([ask("b", true), questions.open.length]).toEqual([false, 0]);
  if (question) questions.reopen(question);
  expect(questions.open.map(({ id }) => id)).toEqual(["b"]);
  questions.apply({ type: "resync" } as Frame);
  expect(questions.open).toEqual([]);
});
