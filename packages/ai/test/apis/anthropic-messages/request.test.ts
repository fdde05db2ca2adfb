import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { anthropicWriter, requiredBetas } from "../../../src/apis/anthropic-messages/request.ts";
import type {
  AssistantMessage,
  Context,
  ImageContent,
  Model,
  StreamOptions,
  ToolChoice,
  ToolResultMessage,
} from "../../../src/index.ts";
import { imageFile } from "../../helpers/images.ts";
import { assistant, conversation, result, user } from "../../helpers/messages.ts";
import { testModel } from "../../helpers/models.ts";

const { createBody } = anthropicWriter;

const claude = testModel("anthropic-messages", "https://api.anthropic.com", {
  id: "claude-sonnet-4-5",
  provider: "anthropic",
  reasoning: true,
});

function bodyOf(context: Partial<Context>, options: StreamOptions = {}, overrides: Partial<Model> = {}) {
  const model = { ...claude, ...overrides };
  // As it goes over the wire.
  return JSON.parse(JSON.stringify(createBody({ model, context: { messages: [user("hi")], ...context }, options })));
}

test("AN-001 AN-008 AN-010 a conversation with thinking, parallel calls and results", () => {
  const read = { name: "read", description: "Reads a file.", parameters: Type.Object({ path: Type.String() }) };
  const ping = { name: "ping", description: "Pings.", parameters: Type.Object({}) };
  expect(bodyOf({ systemPrompt: "Be brief.", messages: conversation(claude), tools: [read, ping] })).toEqual({
    model: "claude-sonnet-4-5",
    max_tokens: 10_000,
    stream: true,
    thinking: { type: "disabled" },
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    tools: [
      {
        name: "read",
        description: "Reads a file.",
        input_schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      },
      {
        name: "ping",
        description: "Pings.",
        input_schema: { type: "object", properties: {} },
        cache_control: { type: "ephemeral" },
      },
    ],
    messages: [
      { role: "user", content: [{ type: "text", text: "Compare a and b" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Both files", signature: "signature" },
          { type: "text", text: "Reading" },
          { type: "tool_use", id: "call_1", name: "read", input: { path: "a" } },
          { type: "tool_use", id: "call_2", name: "read", input: { path: "b" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", content: [{ type: "text", text: "alpha" }] },
          { type: "tool_result", tool_use_id: "call_2", content: [{ type: "text", text: "no such file" }], is_error: true },
          { type: "text", text: "Go on", cache_control: { type: "ephemeral" } },
        ],
      },
    ],
  });
});

test("AN-007 redacted thinking goes back as it came, thinking without a signature as text", () => {
  const answer = assistant(claude, [
    { type: "thinking", thinking: "", thinkingSignature: "opaque", redacted: true },
    { type: "thinking", thinking: "", thinkingSignature: "signed" },
    { type: "thinking", thinking: "cut short" },
    { type: "text", text: "answer" },
  ]);
  expect(bodyOf({ messages: [user("a"), answer, user("b")] }).messages[1].content).toEqual([
    { type: "redacted_thinking", data: "opaque" },
    { type: "thinking", thinking: "", signature: "signed" },
    { type: "text", text: "cut short" },
    { type: "text", text: "answer" },
  ]);
});

test("AN-008 text behind a call is moved before it", () => {
  const answer = assistant(claude, [
    { type: "toolCall", id: "call_1", name: "ls", arguments: {} },
    { type: "text", text: "late" },
  ]);
  const { messages } = bodyOf({ messages: [user("a"), answer, result("call_1", "ok")] });
  expect(messages[1].content.map((block: { type: string }) => block.type)).toEqual(["text", "tool_use"]);
});

test("AN-010 cache markers: none on request, an hour only where it is supported", () => {
  const context = { systemPrompt: "Be brief." };
  expect(JSON.stringify(bodyOf(context, { cacheRetention: "none" }))).not.toContain("cache_control");
  expect(bodyOf(context, { cacheRetention: "long" }).system[0].cache_control).toEqual({ type: "ephemeral", ttl: "1h" });
  expect(bodyOf(context, { cacheRetention: "long" }, { provider: "other" }).system[0].cache_control).toEqual({ type: "ephemeral" });
});

test("AN-010 the marker stands on images and tool results too", () => {
  const image = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" };
  const { messages } = bodyOf({ messages: [{ role: "user", content: [{ type: "text", text: "see" }, image], timestamp: 1 }] });
  expect(messages[0].content[1]).toEqual({
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
    cache_control: { type: "ephemeral" },
  });
});

test("AN-010 at most four marks, for an hour where that is asked for, and never on thinking or empty text", () => {
  const read = { name: "read", description: "Reads a file.", parameters: Type.Object({}) };
  const answer = assistant(claude, [
    { type: "thinking", thinking: "hm", thinkingSignature: "s" },
    { type: "toolCall", id: "call_1", name: "read", arguments: {} },
  ]);
  const context = { systemPrompt: "Be brief.", tools: [read, read], messages: [user("a"), answer, result("call_1", "")] };
  const body = bodyOf(context, { cacheRetention: "long" });
  const marks = JSON.stringify(body).match(/"cache_control":\{"type":"ephemeral","ttl":"1h"\}/g);
  expect(marks).toHaveLength(3);
  expect(body.messages[2].content).toEqual([
    {
      type: "tool_result",
      tool_use_id: "call_1",
      content: [{ type: "text", text: "(no output)" }],
      cache_control: { type: "ephemeral", ttl: "1h" },
    },
  ]);
  const text = bodyOf({ messages: [user("plain")] }).messages[0].content;
  expect(text).toEqual([{ type: "text", text: "plain", cache_control: { type: "ephemeral" } }]);
});

describe("AN-009 the user has the first word and the last", () => {
  const answer = (text: string) => assistant(claude, [{ type: "text", text }]);

  test("a history that ends in an answer is continued, and the answer does not end in whitespace", () => {
    expect(bodyOf({ messages: [user("a"), answer("so far \n")] }, { cacheRetention: "none" }).messages).toEqual([
      { role: "user", content: [{ type: "text", text: "a" }] },
      { role: "assistant", content: [{ type: "text", text: "so far" }] },
      { role: "user", content: [{ type: "text", text: "Continue." }] },
    ]);
  });

  test("a history whose beginning was cut away gets one", () => {
    const { messages } = bodyOf({ messages: [answer("b"), user("c")] }, { cacheRetention: "none" });
    expect(messages[0]).toEqual({
      role: "user",
      content: [{ type: "text", text: "(The beginning of this conversation is not shown.)" }],
    });
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant", "user"]);
  });
});

describe("AN-017 images that the API rejects become a note", () => {
  const contentOf = (images: ImageContent[]) =>
    bodyOf({ messages: [user(images)] }, { cacheRetention: "none" }).messages[0].content;
  const png = (width: number, height: number): ImageContent => {
    return { type: "image", data: imageFile("png", width, height), mimeType: "image/png" };
  };

  test.each([
    ["image/jpeg", "jpeg"],
    ["image/png", "png"],
    ["image/gif", "gif"],
    ["image/webp", "webp"],
  ] as const)("%s is sent, whatever it is called", (media_type, kind) => {
    const data = imageFile(kind, 9, 9);
    const sent = { type: "image", source: { type: "base64", media_type, data } };
    for (const mimeType of [media_type, "image/png", "image/bmp", ""]) {
      expect(contentOf([{ type: "image", data, mimeType }])).toEqual([sent]);
    }
  });

  test.each([
    {
      image: { type: "image" as const, data: "Qk0AAAAA", mimeType: "image/bmp" },
      note: "its data is not a PNG, JPEG, GIF or WebP image",
    },
    {
      image: { type: "image" as const, data: "iVBORw0KGgoA".padEnd(5 * 1024 * 1024 + 4, "A"), mimeType: "image/png" },
      note: "it is larger than the 5 MB that can be sent",
    },
    { image: png(8001, 10), note: "its 8001 x 10 pixels are more than the 8000 a side that can be sent" },
  ])("$note", ({ image, note }) => {
    expect(contentOf([image])).toEqual([{ type: "text", text: `[An image was here, but ${note}.]` }]);
  });

  test("more than 20 images must be smaller", () => {
    const small = Array.from({ length: 20 }, () => png(2000, 2000));
    expect(contentOf([...small.slice(1), png(2001, 10)]).map(({ type }: { type: string }) => type)).not.toContain("text");
    expect(contentOf([...small, png(2001, 10)])[20]).toEqual({
      type: "text",
      text: "[An image was here, but its 2001 x 10 pixels are more than the 2000 a side that can be sent.]",
    });
  });

  test("in tool results too", () => {
    const answer = assistant(claude, [{ type: "toolCall", id: "call_1", name: "look", arguments: {} }]);
    const look: ToolResultMessage = {
      ...result("call_1", "seen"),
      content: [{ type: "image", data: "AA", mimeType: "image/tiff" }],
    };
    const [{ content }] = bodyOf({ messages: [user("a"), answer, look] }).messages[2].content;
    expect(content).toEqual([{ type: "text", text: "[An image was here, but its data is not a PNG, JPEG, GIF or WebP image.]" }]);
  });
});

test("AN-018 tools go out with names and schemas that the API takes, in old calls too", () => {
  const parameters = Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]);
  const answer = assistant(claude, [{ type: "toolCall", id: "call_1", name: "files.read", arguments: {} }]);
  const tools = [{ name: "files.read", description: "Reads \ud83d.", parameters }];
  const body = bodyOf({ tools, messages: [user("a"), answer, result("call_1", "x")] });
  expect(body.tools[0]).toMatchObject({ description: "Reads .", input_schema: { type: "object", properties: { a: {}, b: {} } } });
  expect(body.tools[0].input_schema).not.toHaveProperty("anyOf");
  expect(body.tools[0].name).toMatch(/^files_read_\w+$/);
  expect(body.messages[1].content[0].name).toBe(body.tools[0].name);
});

describe("AI-037 AN-004 tool choice", () => {
  const tools = [{ name: "read", description: "Reads.", parameters: Type.Object({}) }];
  const choiceOf = (toolChoice: ToolChoice, options: StreamOptions = {}) =>
    bodyOf({ tools }, { toolChoice, ...options }).tool_choice;

  test("is sent as the API spells it", () => {
    expect(choiceOf("auto")).toBeUndefined();
    expect(choiceOf("none")).toEqual({ type: "none" });
    expect(choiceOf("required")).toEqual({ type: "any" });
    expect(choiceOf({ tool: "read" })).toEqual({ type: "tool", name: "read" });
    expect(choiceOf({ tool: "absent" })).toBeUndefined();
    expect(bodyOf({}, { toolChoice: "required" })).not.toHaveProperty("tool_choice");
  });

  test("cannot force a call beside thinking", () => {
    expect(choiceOf("required", { reasoning: "low" })).toBeUndefined();
    expect(choiceOf({ tool: "read" }, { reasoning: "low" })).toBeUndefined();
    expect(choiceOf("none", { reasoning: "low" })).toEqual({ type: "none" });
  });
});

test("AN-020 an endpoint that is not known gets nothing but the fields that every one has", () => {
  const tools = [{ name: "read", description: "Reads.", parameters: Type.Object({}) }];
  const gateway = { provider: "gateway", baseUrl: "http://localhost", id: "glm-5" };
  const body = bodyOf({ systemPrompt: "Be brief.", tools }, { cacheRetention: "long", sessionId: "s", reasoning: "low" }, gateway);
  expect(Object.keys(body).sort()).toEqual(["max_tokens", "messages", "model", "stream", "system", "thinking", "tools"]);
  expect(Object.keys(body.tools[0]).sort()).toEqual(["cache_control", "description", "input_schema", "name"]);
  expect(JSON.stringify(body)).not.toContain("ttl");
});

test("AN-017 the result of a failed call has no image", () => {
  const answer = assistant(claude, [{ type: "toolCall", id: "call_1", name: "look", arguments: {} }]);
  const failed = { ...result("call_1", "broken"), isError: true };
  failed.content.push({ type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" });
  const { messages } = bodyOf({ messages: [user("a"), answer, failed] });
  expect(messages[2].content[0].content).toEqual([
    { type: "text", text: "broken" },
    { type: "text", text: "[An image was here.]" },
  ]);
});

describe("thinking", () => {
  const thinkingOf = (options: StreamOptions, overrides?: Partial<Model>) => {
    const { thinking, output_config, max_tokens, temperature } = bodyOf({}, options, overrides);
    return { thinking, output_config, max_tokens, temperature };
  };

  test.each([
    ["minimal", 1024],
    ["low", 2048],
    ["medium", 8192],
    ["high", 8976],
    ["xhigh", 8976],
  ] as const)("AN-002 %s is a budget of %i, which leaves room for the answer", (reasoning, budget_tokens) => {
    expect(thinkingOf({ reasoning })).toEqual({ thinking: { type: "enabled", budget_tokens }, max_tokens: 10_000 });
  });

  test("AN-002 no room for both means no thinking", () => {
    expect(thinkingOf({ reasoning: "high", maxTokens: 2000 })).toEqual({ thinking: { type: "disabled" }, max_tokens: 2000 });
  });

  test("AN-002 max_tokens is sent even when nobody knows it", () => {
    expect(thinkingOf({}, { maxTokens: 0, reasoning: false })).toEqual({ max_tokens: 8192 });
  });

  test.each([
    { id: "claude-opus-4-6", reasoning: "xhigh", effort: "max" },
    { id: "claude-sonnet-4-6", reasoning: "xhigh", effort: "max" },
    { id: "claude-fable-5-1", reasoning: "xhigh", effort: "max" },
    { id: "claude-haiku-5-5", reasoning: "xhigh", effort: "high" },
    { id: "claude-opus-5", reasoning: "minimal", effort: "low" },
    { id: "claude-haiku-5-20270101", reasoning: "medium", effort: "medium" },
  ] as const)("AN-003 $id at $reasoning decides itself, with effort $effort", ({ id, reasoning, effort }) => {
    const expected = { thinking: { type: "adaptive" }, output_config: { effort }, max_tokens: 10_000 };
    expect(thinkingOf({ reasoning }, { id })).toEqual(expected);
  });

  test.each(["claude-3-7-sonnet-20250219", "claude-sonnet-4-20250514", "claude-opus-4-5", "glm-5"])(
    "AN-003 %s takes a budget",
    (id) => {
      expect(thinkingOf({ reasoning: "low" }, { id }).thinking).toEqual({ type: "enabled", budget_tokens: 2048 });
    },
  );

  test("AN-004 off is said, except to models that reject it; others get no field at all", () => {
    expect(thinkingOf({}).thinking).toEqual({ type: "disabled" });
    expect(thinkingOf({}, { id: "claude-mythos-5" }).thinking).toBeUndefined();
    expect(thinkingOf({}, { compat: { disableThinking: false } }).thinking).toBeUndefined();
    expect(thinkingOf({ reasoning: "high" }, { reasoning: false }).thinking).toBeUndefined();
  });

  test("AN-004 AI-037 temperature is sent, 0 too, but not beside thinking", () => {
    expect(thinkingOf({ temperature: 0 }).temperature).toBe(0);
    expect(thinkingOf({ temperature: 0, reasoning: "low" }).temperature).toBeUndefined();
  });

  test("AN-005 only a budget needs the beta", () => {
    const betasOf = (options: StreamOptions, id = claude.id) =>
      requiredBetas(createBody({ model: { ...claude, id }, context: { messages: [user("hi")] }, options }));
    expect(betasOf({ reasoning: "low" })).toEqual(["interleaved-thinking-2025-05-14"]);
    expect(betasOf({})).toEqual([]);
    expect(betasOf({ reasoning: "low" }, "claude-opus-4-6")).toEqual([]);
  });
});

test("AI-037 without tools and system prompt there are no such fields", () => {
  const body = bodyOf({ systemPrompt: "  " }, {}, { reasoning: false });
  expect(Object.keys(body).sort()).toEqual(["max_tokens", "messages", "model", "stream"]);
});

test("AI-015 the system prompt has no half surrogate pairs", () => {
  expect(bodyOf({ systemPrompt: "a\ud83db 👋" }).system[0].text).toBe("ab 👋");
});

test("AI-016 converting does not change the messages", () => {
  const messages = conversation(claude);
  const before = structuredClone(messages);
  const first = bodyOf({ messages });
  expect(messages).toEqual(before);
  expect(JSON.stringify(bodyOf({ messages }))).toBe(JSON.stringify(first));
});

test("AI-018 thinking of another model goes out as text", () => {
  const answer: AssistantMessage = {
    ...assistant(claude, [{ type: "thinking", thinking: "hm", thinkingSignature: "s" }]),
    model: "x",
  };
  answer.content.push({ type: "text", text: "answer" });
  expect(bodyOf({ messages: [user("a"), answer, user("b")] }).messages[1].content).toEqual([
    { type: "text", text: "hm" },
    { type: "text", text: "answer" },
  ]);
});
