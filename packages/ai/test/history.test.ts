import { assertLinear } from "@pikit/test-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { prepareHistory } from "../src/history.ts";
import type { AssistantMessage, ImageContent, Message, TextContent, ToolCall, ToolResultMessage } from "../src/index.ts";
import { assistant, result, user } from "./helpers/messages.ts";
import { testModel } from "./helpers/models.ts";

const model = testModel("test-api", "http://localhost");
const other = { ...model, id: "other-model" };
const textOnly = { ...model, input: ["text" as const] };
const image: ImageContent = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };

function call(id: string, name = "read"): ToolCall {
  return { type: "toolCall", id, name, arguments: {} };
}

function text(content: string): TextContent {
  return { type: "text", text: content };
}

/** Roles, and for calls and results their ids: the shape of a conversation. */
function shape(messages: Message[]): string[] {
  return messages.map((message) => {
    if (message.role === "toolResult") return `result ${message.toolCallId}${message.isError ? " (error)" : ""}`;
    if (message.role === "user") return "user";
    const ids = message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
    return ["assistant", ...ids].join(" ");
  });
}

function prepared(...messages: Message[]): Message[] {
  return prepareHistory(messages, model);
}

test("a valid conversation comes out as it went in", () => {
  const messages = [user("a"), assistant(model, [text("b"), call("1")]), result("1", "c"), assistant(model, [text("d")])];
  expect(prepared(...messages)).toEqual(messages);
});

describe("calls and results", () => {
  test.each(["error", "aborted"] as const)(
    "AI-020 answers that ended with %s are left out together with their results",
    (reason) => {
      const failed = assistant(model, [text("x"), call("1")], reason);
      expect(shape(prepared(user("a"), failed, result("1", "r"), user("b")))).toEqual(["user", "user"]);
    },
  );

  test("AI-021 a missing result becomes an error result, also at the end", () => {
    const messages = prepared(
      user("a"),
      assistant(model, [call("1"), call("2")]),
      result("2", "r"),
      user("b"),
      assistant(model, [call("3")]),
    );
    expect(shape(messages)).toEqual([
      "user",
      "assistant 1 2",
      "result 1 (error)",
      "result 2",
      "user",
      "assistant 3",
      "result 3 (error)",
    ]);
    expect(messages[2]).toEqual({
      role: "toolResult",
      toolCallId: "1",
      toolName: "read",
      content: [text("No result: the call was interrupted before it ended.")],
      isError: true,
      timestamp: 1,
    });
  });

  test("AI-021 a real result later in history is used, once, in the place where it belongs", () => {
    const messages = prepared(
      assistant(model, [call("1")]),
      user("b"),
      assistant(model, [text("c")]),
      result("1", "r"),
      result("1", "again"),
    );
    expect(shape(messages)).toEqual(["assistant 1", "result 1", "user", "assistant"]);
    expect(messages[1]).toEqual(result("1", "r"));
  });

  test("AI-022 a message between a call and its result is moved behind the results", () => {
    const messages = prepared(assistant(model, [call("1"), call("2")]), result("1", "r"), user("steer"), result("2", "r"));
    expect(shape(messages)).toEqual(["assistant 1 2", "result 1", "result 2", "user"]);
  });

  test("results come in the order of the calls", () => {
    const messages = prepared(assistant(model, [call("1"), call("2")]), result("2", "r"), result("1", "r"));
    expect(shape(messages)).toEqual(["assistant 1 2", "result 1", "result 2"]);
  });

  test("AI-023 a result without its call is dropped", () => {
    expect(shape(prepared(result("1", "r"), user("a"), result("2", "r")))).toEqual(["user"]);
  });

  test("AI-024 calls with a blank name or id are dropped together with their results", () => {
    const messages = prepared(
      assistant(model, [text("x"), call("", "read"), call("2", " "), call("3")]),
      result("", "r"),
      result("2", "r"),
      result("3", "r"),
    );
    expect(shape(messages)).toEqual(["assistant 3", "result 3"]);
  });

  test("an id that comes back in a later turn belongs to the later call", () => {
    const messages = prepared(
      assistant(model, [call("1")]),
      result("1", "first"),
      user("b"),
      assistant(model, [call("1")]),
      result("1", "second"),
    );
    expect(shape(messages)).toEqual(["assistant 1", "result 1", "user", "assistant 1", "result 1"]);
    expect(messages.filter((message) => message.role === "toolResult").map((message) => message.content)).toEqual([
      [text("first")],
      [text("second")],
    ]);
  });
});

describe("thinking", () => {
  const content: AssistantMessage["content"] = [
    { type: "thinking", thinking: "", thinkingSignature: "empty" },
    { type: "thinking", thinking: "secret", thinkingSignature: "opaque", redacted: true },
    { type: "thinking", thinking: "plain", thinkingSignature: "signed" },
    { type: "thinking", thinking: "cut" },
    { type: "text", text: "answer", textSignature: "t" },
    { ...call("1"), thoughtSignature: "c" },
  ];

  test("AI-017 AN-007 goes back to the same model with its signature; without one it is text", () => {
    const [message] = prepared(assistant(model, content));
    expect(message).toMatchObject({ content: [content[0], content[1], content[2], text("cut"), content[4], content[5]] });
  });

  test.each([
    { id: "other", provider: model.provider, api: model.api },
    { id: model.id, provider: "other", api: model.api },
    { id: model.id, provider: model.provider, api: "other" },
  ])("AI-018 is text without tags for another model, and all signatures go: $id $provider $api", (writer) => {
    const [message] = prepared(assistant(writer, content));
    expect(message).toMatchObject({ content: [text("plain"), text("cut"), text("answer"), call("1")] });
    expect(JSON.stringify(message)).not.toMatch(/ignature|redacted|opaque|secret/);
  });

  test("an answer of nothing but thinking is left out", () => {
    expect(prepared(user("a"), assistant(model, [{ type: "thinking", thinking: "hm", thinkingSignature: "s" }]))).toEqual([
      user("a"),
    ]);
  });
});

describe("empty texts", () => {
  test("AI-027 are left out, and messages that have nothing else too", () => {
    const messages = prepared(
      user(""),
      user(" \n"),
      user([text("")]),
      user([text(" "), text("a")]),
      assistant(model, [text(" ")]),
      assistant(model, [text("\n"), call("1")]),
      result("1", "r"),
    );
    expect(messages).toEqual([user([text("a")]), assistant(model, [call("1")]), result("1", "r")]);
  });

  test("AI-028 a result of nothing says so, and a result of one image has a text", () => {
    const messages = prepared(
      assistant(model, [call("1"), call("2"), call("3")]),
      { ...result("1", ""), content: [] },
      { ...result("2", ""), content: [image] },
      { ...result("3", ""), content: [text(""), image] },
    );
    expect(messages.slice(1).map((message) => message.content)).toEqual([
      [text("(no output)")],
      [text("(the result is this image)"), image],
      [text("(the result is this image)"), image],
    ]);
  });
});

test("AI-028 images become a note for models that read text only", () => {
  const messages = [user([text("see"), image]), assistant(model, [call("1")]), { ...result("1", ""), content: [image] }];
  const note = text("[An image was here; this model cannot see images.]");
  expect(prepareHistory(messages, textOnly).map((message) => message.content)).toEqual([[text("see"), note], [call("1")], [note]]);
  expect(prepareHistory(messages, model)[0]?.content).toEqual([text("see"), image]);
});

test("AI-015 half surrogate pairs are removed everywhere, whole pairs stay", () => {
  const bad = "a\ud83d b\udc4b 👋";
  const args = { path: bad, list: [bad, { [bad]: bad }], n: 1, ok: "👋" };
  const messages = prepared(
    user(bad),
    user([text(bad)]),
    assistant(model, [
      { type: "thinking", thinking: bad, thinkingSignature: "s" },
      { type: "thinking", thinking: bad },
      text(bad),
      { ...call("1"), arguments: args },
    ]),
    result("1", bad),
    user("\ud83d"),
  );
  const good = "a b 👋";
  expect(messages.map((message) => message.content)).toEqual([
    good,
    [text(good)],
    [
      { type: "thinking", thinking: good, thinkingSignature: "s" },
      text(good),
      text(good),
      { ...call("1"), arguments: { path: good, list: [good, { [good]: good }], n: 1, ok: "👋" } },
    ],
    [text(good)],
  ]);
});

test("AI-010 arguments that were stored as null go out as {}", () => {
  const broken = { ...call("1"), arguments: null as unknown as Record<string, unknown> };
  expect(prepared(assistant(model, [broken]))[0]).toMatchObject({ content: [{ arguments: {} }] });
});

test("AI-016 20,000 turns are prepared in linear time", async () => {
  await assertLinear(20_000, (turns) => {
    const messages: Message[] = [];
    for (let i = 0; i < turns; i += 1) messages.push(user("a"), assistant(model, [text("b"), call(`${i}`)]), result(`${i}`, "r"));
    return () => expect(prepareHistory(messages, model)).toHaveLength(3 * turns);
  });
});

const blockText = fc.constantFrom("", " ", "text", "\ud83d", "👋");
const id = fc.constantFrom("", "1", "2", "3");
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  blockText.map((content) => user(content)),
  fc.array(fc.oneof(blockText.map(text), fc.constant(image)), { maxLength: 3 }).map((content) => user(content)),
  fc
    .tuple(
      fc.array(
        fc.oneof(
          blockText.map(text),
          fc.record({ type: fc.constant("thinking" as const), thinking: blockText, thinkingSignature: fc.constantFrom("", "s") }),
          fc.tuple(id, fc.constantFrom("", "read")).map(([callId, name]) => call(callId, name)),
        ),
        { maxLength: 4 },
      ),
      fc.constantFrom(model, other),
      fc.constantFrom("stop", "toolUse", "error", "aborted", "length"),
    )
    .map(([content, writer, reason]) => assistant(writer, content, reason as AssistantMessage["stopReason"])),
  fc.tuple(id, blockText).map(([callId, content]): ToolResultMessage => result(callId, content)),
);

test("AI-021 any history, broken ones too: each call has one result right behind it, nothing is empty, input unchanged, same bytes twice", () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 30 }), (messages) => {
      const before = structuredClone(messages);
      const sent = prepareHistory(messages, textOnly);
      expect(messages).toEqual(before);
      expect(JSON.stringify(prepareHistory(messages, textOnly))).toBe(JSON.stringify(sent));
      expect(JSON.stringify(sent)).not.toContain("\\ud83d");
      let expected: string[] = [];
      for (const message of sent) {
        if (message.role === "toolResult") {
          expect(message.toolCallId).toBe(expected.shift());
          expect(message.content.length).toBeGreaterThan(0);
          continue;
        }
        expect(expected).toEqual([]);
        expect(message.content.length).toBeGreaterThan(0);
        if (typeof message.content === "string") expect(message.content.trim()).not.toBe("");
        else for (const block of message.content) if (block.type === "text") expect(block.text.trim()).not.toBe("");
        if (message.role === "assistant") {
          expected = message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
          expect(expected).not.toContain("");
        }
      }
      expect(expected).toEqual([]);
    }),
  );
});
