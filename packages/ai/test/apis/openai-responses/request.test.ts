import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { responsesWriter } from "../../../src/apis/openai-responses/request.ts";
import type { AssistantMessage, Context, Model, StreamOptions } from "../../../src/index.ts";
import { assistant, conversation, result, user } from "../../helpers/messages.ts";
import { testModel } from "../../helpers/models.ts";

const { createBody } = responsesWriter;

const gpt = testModel("openai-responses", "https://api.openai.com/v1", { provider: "openai", id: "gpt-5.1", reasoning: true });
const local = testModel("openai-responses", "http://localhost:8080/v1", { provider: "local" });

function bodyOf(model: Model, context: Partial<Context> = {}, options: StreamOptions = {}) {
  // As it goes over the wire.
  return JSON.parse(JSON.stringify(createBody({ model, context: { messages: [user("hi")], ...context }, options })));
}

const inputOf = (model: Model, ...messages: Context["messages"]) => bodyOf(model, { messages }).input;

const reasoningItem = (id: string, fields: object = { encrypted_content: "opaque" }) => ({
  type: "reasoning",
  id,
  summary: [],
  ...fields,
});
const thinking = (item: object): AssistantMessage["content"][number] => ({
  type: "thinking",
  thinking: "",
  thinkingSignature: JSON.stringify(item),
});
const call = (id: string): AssistantMessage["content"][number] => ({ type: "toolCall", id, name: "ls", arguments: {} });
const text = (words: string, textSignature?: string): AssistantMessage["content"][number] => ({
  type: "text",
  text: words,
  ...(textSignature !== undefined && { textSignature }),
});

test("OR-001 OR-003 OR-005 a conversation with thinking, parallel calls and results", () => {
  const read = { name: "read", description: "Reads a file.", parameters: Type.Object({ path: Type.String() }) };
  const item = reasoningItem("rs_1", { summary: [{ type: "summary_text", text: "Both files" }], encrypted_content: "opaque" });
  const messages = conversation(gpt, JSON.stringify(item));
  const body = bodyOf(
    gpt,
    { systemPrompt: "Be brief.", messages, tools: [read] },
    { reasoning: "high", sessionId: "s".repeat(80) },
  );
  expect(body).toEqual({
    model: "gpt-5.1",
    stream: true,
    store: false,
    instructions: "Be brief.",
    include: ["reasoning.encrypted_content"],
    reasoning: { effort: "high", summary: "auto" },
    max_output_tokens: 10_000,
    prompt_cache_key: "s".repeat(64),
    tools: [
      {
        type: "function",
        name: "read",
        description: "Reads a file.",
        parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
        strict: false,
      },
    ],
    input: [
      { role: "user", content: [{ type: "input_text", text: "Compare a and b" }] },
      item,
      {
        type: "message",
        role: "assistant",
        id: "msg_pikit_1",
        status: "completed",
        content: [{ type: "output_text", text: "Reading", annotations: [] }],
      },
      { type: "function_call", call_id: "call_1", name: "read", arguments: '{"path":"a"}' },
      { type: "function_call", call_id: "call_2", name: "read", arguments: '{"path":"b"}' },
      { type: "function_call_output", call_id: "call_1", output: "alpha" },
      { type: "function_call_output", call_id: "call_2", output: "no such file" },
      { role: "user", content: [{ type: "input_text", text: "Go on" }] },
    ],
  });
});

describe("OR-001 include", () => {
  test("what the model's settings ask for comes besides what we need", () => {
    const model = { ...gpt, compat: { include: ["message.output_text.logprobs"] } };
    expect(bodyOf(model, {}, { reasoning: "low" }).include).toEqual([
      "message.output_text.logprobs",
      "reasoning.encrypted_content",
    ]);
    expect(bodyOf(model).include).toEqual(["message.output_text.logprobs"]);
  });

  test("a model that thinks even when it is not asked to gives its thoughts too", () => {
    const o3 = { ...gpt, id: "o3" };
    expect(bodyOf(o3)).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    expect(bodyOf(o3)).not.toHaveProperty("reasoning");
  });

  test("a model without reasoning is asked for none", () => {
    const body = bodyOf(local, {}, { reasoning: "high" });
    expect(Object.keys(body).sort()).toEqual(["input", "max_output_tokens", "model", "store", "stream"]);
  });
});

describe("OR-003 ids of calls", () => {
  test("outputs name the call id only, and item ids go back to the same model", () => {
    expect(inputOf(gpt, user("a"), assistant(gpt, [call("call_a|fc_1")]), result("call_a|fc_1", "x")).slice(1)).toEqual([
      { type: "function_call", id: "fc_1", call_id: "call_a", name: "ls", arguments: "{}" },
      { type: "function_call_output", call_id: "call_a", output: "x" },
    ]);
  });

  test.each(["call_a|item_1", "call_a|fc_1/2", `call_a|fc_${"x".repeat(80)}`, "call_a|fc_", "call_a"])(
    "the item id of %s is left out",
    (id) => {
      const [, sent, output] = inputOf(gpt, user("a"), assistant(gpt, [call(id)]), result(id, "x"));
      expect(sent).toEqual({ type: "function_call", call_id: "call_a", name: "ls", arguments: "{}" });
      expect(output.call_id).toBe("call_a");
    },
  );

  test("AI-025 AI-026 long and odd call ids become safe ones that stay different, and always the same", () => {
    const foreign = testModel("anthropic-messages", "http://x", { provider: "other" });
    const ids = ["x".repeat(450), `${"x".repeat(449)}y`, "a|b", "a|c", "tail_", "ok-1"];
    const messages = [user("a"), assistant(foreign, ids.map(call)), ...ids.map((id) => result(id, id))];
    const input = inputOf(gpt, ...messages);
    const calls: string[] = input.slice(1, 7).map((item: { call_id: string }) => item.call_id);
    expect(new Set(calls).size).toBe(6);
    for (const id of calls) expect(id).toMatch(/^[A-Za-z0-9_-]{0,63}[A-Za-z0-9-]$/);
    expect(calls[5]).toBe("ok-1");
    expect(input.slice(7).map((item: { call_id: string }) => item.call_id)).toEqual(calls);
    expect(inputOf(gpt, ...messages)).toEqual(input);
  });

  test("ids that a server uses again in a later answer are told apart, each with its own output", () => {
    const turn = (words: string) => [user("go"), assistant(local, [call("call_0")]), result("call_0", words)];
    const input = inputOf(local, ...turn("one"), ...turn("two"));
    const outputs = input.filter((item: { type?: string }) => item.type === "function_call_output");
    const calls = input.filter((item: { type?: string }) => item.type === "function_call");
    expect(outputs.map((item: { output: string }) => item.output)).toEqual(["one", "two"]);
    expect(outputs[0].call_id).toBe("call_0");
    expect(outputs[1].call_id).not.toBe("call_0");
    expect(calls.map((item: { call_id: string }) => item.call_id)).toEqual([outputs[0].call_id, outputs[1].call_id]);
  });
});

test("OR-004 OR-005 another model of the same provider gets no item ids and no reasoning", () => {
  const answer = assistant({ ...gpt, id: "gpt-5-mini" }, [
    thinking(reasoningItem("rs_1")),
    text("hi", '{"id":"msg_1","phase":"commentary"}'),
    call("call_a|fc_1"),
  ]);
  expect(inputOf(gpt, user("a"), answer, result("call_a|fc_1", "x")).slice(1, 3)).toEqual([
    {
      type: "message",
      role: "assistant",
      id: "msg_pikit_1",
      status: "completed",
      content: [{ type: "output_text", text: "hi", annotations: [] }],
    },
    { type: "function_call", call_id: "call_a", name: "ls", arguments: "{}" },
  ]);
});

describe("OR-005 reasoning", () => {
  const typesOf = (items: { type?: string; id?: string }[]) => items.map(({ type, id }) => id ?? type);

  test("is directly followed by the item that it led to", () => {
    const answer = assistant(gpt, [
      thinking(reasoningItem("rs_1")),
      call("call_a|fc_1"),
      thinking(reasoningItem("rs_2")),
      text("late", '{"id":"msg_1"}'),
    ]);
    const items = inputOf(gpt, user("a"), answer, result("call_a|fc_1", "x")).slice(1);
    expect(typesOf(items)).toEqual(["rs_2", "msg_1", "rs_1", "fc_1", "function_call_output"]);
  });

  test("that an answer ends with is not sent", () => {
    const answer = assistant(gpt, [text("hi", '{"id":"msg_1"}'), thinking(reasoningItem("rs_1"))], "length");
    expect(typesOf(inputOf(gpt, user("a"), answer, user("b")).slice(1, -1))).toEqual(["msg_1"]);
    const only = assistant(gpt, [thinking(reasoningItem("rs_1"))], "length");
    expect(inputOf(gpt, user("a"), only, user("b"))).toHaveLength(2);
  });

  test("OR-006 with neither summary nor encrypted content is not sent, nor are the ids of what it led to", () => {
    const answer = assistant(gpt, [thinking(reasoningItem("rs_1", {})), call("call_a|fc_1")]);
    expect(inputOf(gpt, user("a"), answer, result("call_a|fc_1", "x"))[1]).toEqual({
      type: "function_call",
      call_id: "call_a",
      name: "ls",
      arguments: "{}",
    });
  });
});

describe("OR-007 messages", () => {
  const idsOf = (...signatures: (string | undefined)[]) => {
    const answers = signatures.map((signature) => assistant(gpt, [text("hi", signature)]));
    const items = inputOf(gpt, ...answers.flatMap((answer) => [user("a"), answer]));
    return items.filter((item: { type?: string }) => item.type === "message").map((item: { id: string }) => item.id);
  };

  test("keep id and phase", () => {
    const answer = assistant(gpt, [text("hi", '{"id":"msg_1","phase":"final_answer"}')]);
    expect(inputOf(gpt, user("a"), answer)[1]).toMatchObject({ id: "msg_1", phase: "final_answer" });
  });

  test("long ids are hashed, and missing, repeated or broken ones replaced by unique ones", () => {
    const long = `msg_${"x".repeat(80)}`;
    const ids = idsOf("{}", undefined, `{"id":"${long}"}`, `{"id":"${long}y"}`, '{"id":"msg_1"}', '{"id":"msg_1"}', "not JSON");
    expect(new Set(ids).size).toBe(7);
    for (const id of ids) expect(id).toMatch(/^msg_[A-Za-z0-9_-]{1,60}$/);
    expect(ids[4]).toBe("msg_1");
  });
});

test("OR-008 fields that only the server may set do not go back", () => {
  const answer = assistant(gpt, [thinking(reasoningItem("rs_1")), call("call_a|fc_1")]);
  const [, sent, calls] = inputOf(gpt, user("a"), answer, result("call_a|fc_1", "x"));
  expect(sent).toEqual(reasoningItem("rs_1"));
  expect(calls).not.toHaveProperty("status");
});

describe("OR-016 limits and efforts", () => {
  test("at least 16 tokens of answer are asked for", () => {
    expect(bodyOf(gpt, {}, { maxTokens: 1 }).max_output_tokens).toBe(16);
    expect(bodyOf(gpt, {}, { maxTokens: 100 }).max_output_tokens).toBe(100);
    expect(bodyOf({ ...gpt, maxTokens: 0 })).not.toHaveProperty("max_output_tokens");
  });

  test("AI-037 temperature is sent, 0 too, but not to models that reason", () => {
    expect(bodyOf(local, {}, { temperature: 0 }).temperature).toBe(0);
    expect(bodyOf(gpt, {}, { temperature: 0 })).not.toHaveProperty("temperature");
  });

  test.each([
    ["gpt-5.1", { off: "none", minimal: "low", low: "low", medium: "medium", high: "high", xhigh: "high" }],
    ["gpt-5.2", { off: "none", minimal: "low", low: "low", medium: "medium", high: "high", xhigh: "xhigh" }],
    ["gpt-5-mini", { off: undefined, minimal: "minimal", low: "low", medium: "medium", high: "high", xhigh: "high" }],
    ["gpt-5.1-codex", { off: undefined, minimal: "low", low: "low", medium: "medium", high: "high", xhigh: "high" }],
    ["gpt-5.1-codex-max", { off: undefined, minimal: "low", low: "low", medium: "medium", high: "high", xhigh: "xhigh" }],
    ["gpt-5-pro", { off: undefined, minimal: "high", low: "high", medium: "high", high: "high", xhigh: "high" }],
    ["o4-mini", { off: undefined, minimal: "low", low: "low", medium: "medium", high: "high", xhigh: "high" }],
    ["gpt-oss:20b", { off: undefined, minimal: "low", low: "low", medium: "medium", high: "high", xhigh: "high" }],
  ])("AI-036 %s", (id, efforts) => {
    for (const [reasoning, effort] of Object.entries(efforts)) {
      const body = bodyOf({ ...gpt, id }, {}, { reasoning: reasoning as keyof typeof efforts });
      expect([reasoning, body.reasoning?.effort]).toEqual([reasoning, effort]);
    }
  });

  test("a model's settings can name its efforts", () => {
    const model = { ...gpt, id: "x", compat: { efforts: ["none", "high"] } };
    expect(bodyOf(model).reasoning).toEqual({ effort: "none" });
    expect(bodyOf(model, {}, { reasoning: "low" }).reasoning.effort).toBe("high");
    expect(bodyOf({ ...model, compat: { efforts: [] } }, {}, { reasoning: "low" })).not.toHaveProperty("reasoning");
  });
});

describe("OR-017 results", () => {
  const image = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" };
  const answer = assistant(gpt, [call("call_a"), text("late")]);
  const seen = { ...result("call_a", "see"), content: [{ type: "text" as const, text: "see" }, image] };

  test("images are parts of the output for models that see them", () => {
    const input = inputOf(gpt, user("a"), answer, seen);
    expect(input.map((item: { type?: string }) => item.type)).toEqual([
      undefined,
      "message",
      "function_call",
      "function_call_output",
    ]);
    expect(input[3].output).toEqual([
      { type: "input_text", text: "see" },
      { type: "input_image", detail: "auto", image_url: "data:image/png;base64,iVBORw0KGgo=" },
    ]);
    expect(inputOf({ ...gpt, input: ["text"] }, user("a"), answer, seen)[3].output).toBe(
      "see\n[An image was here; this model cannot see images.]",
    );
  });

  test("AI-022 a message between a call and its output moves behind the output", () => {
    const input = inputOf(gpt, user("a"), answer, user("steer"), seen);
    expect(input.map((item: { type?: string }) => item.type)).toEqual([
      undefined,
      "message",
      "function_call",
      "function_call_output",
      undefined,
    ]);
  });
});

test("AI-037 tool choices", () => {
  const tools = [{ name: "ls", description: "Lists.", parameters: Type.Object({}) }];
  expect(bodyOf(gpt, { tools })).not.toHaveProperty("tool_choice");
  expect(bodyOf(gpt, { tools }, { toolChoice: "required" }).tool_choice).toBe("required");
  expect(bodyOf(gpt, { tools }, { toolChoice: { tool: "ls" } }).tool_choice).toEqual({ type: "function", name: "ls" });
  expect(bodyOf(gpt, { tools }, { toolChoice: { tool: "rm" } })).not.toHaveProperty("tool_choice");
  expect(bodyOf(gpt, {}, { toolChoice: "required" })).not.toHaveProperty("tool_choice");
  expect(bodyOf(gpt, { tools: [] })).not.toHaveProperty("tools");
});

test("cache fields go to OpenAI only, and not at all when no cache is wanted", () => {
  const options: StreamOptions = { sessionId: "session", cacheRetention: "long" };
  expect(bodyOf(gpt, {}, options)).toMatchObject({ prompt_cache_key: "session", prompt_cache_retention: "24h" });
  const azure = { ...gpt, provider: "azure-openai", baseUrl: "https://mine.openai.azure.com" };
  expect(bodyOf(azure, {}, options)).toMatchObject({ prompt_cache_key: "session" });
  for (const body of [bodyOf(gpt, {}, { ...options, cacheRetention: "none" }), bodyOf(local, {}, options)]) {
    expect(body).not.toHaveProperty("prompt_cache_key");
    expect(body).not.toHaveProperty("prompt_cache_retention");
  }
});

test("AI-015 neither prompt nor tools have half surrogate pairs", () => {
  const tools = [{ name: "ls", description: "a\ud83db", parameters: Type.Object({}) }];
  const body = bodyOf(gpt, { systemPrompt: "a\ud83db 👋", tools });
  expect(body.instructions).toBe("ab 👋");
  expect(body.tools[0].description).toBe("ab");
});

test("AI-016 converting does not change the messages", () => {
  const messages = conversation(gpt, JSON.stringify(reasoningItem("rs_1")));
  const before = structuredClone(messages);
  const first = JSON.stringify(bodyOf(gpt, { messages }));
  expect(messages).toEqual(before);
  expect(JSON.stringify(bodyOf(gpt, { messages }))).toBe(first);
});
