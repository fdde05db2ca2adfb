import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { googleWriter } from "../../../src/apis/google-generative-ai/request.ts";
import type { AssistantMessage, Context, Model, StreamOptions } from "../../../src/index.ts";
import { assistant, conversation, result, user } from "../../helpers/messages.ts";
import { testModel } from "../../helpers/models.ts";

const { createBody } = googleWriter;

const gemini = testModel("google-generative-ai", "https://generativelanguage.googleapis.com", {
  provider: "google",
  id: "gemini-2.5-flash",
  reasoning: true,
});
const gemini3 = { ...gemini, id: "gemini-3-pro-preview" };

function bodyOf(model: Model, context: Partial<Context> = {}, options: StreamOptions = {}) {
  // As it goes over the wire.
  return JSON.parse(JSON.stringify(createBody({ model, context: { messages: [user("hi")], ...context }, options })));
}

const contentsOf = (model: Model, ...messages: Context["messages"]) => bodyOf(model, { messages }).contents;

type Block = AssistantMessage["content"][number];
const call = (id: string, thoughtSignature?: string): Block => ({
  type: "toolCall",
  id,
  name: "ls",
  arguments: {},
  ...(thoughtSignature !== undefined && { thoughtSignature }),
});
const image = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" };

test("GG-005 GG-006 a conversation with thinking, parallel calls and results", () => {
  const read = { name: "read", description: "Reads a file.", parameters: Type.Object({ path: Type.String() }) };
  const body = bodyOf(gemini, { systemPrompt: "Be brief.", messages: conversation(gemini, "c2lnbmVk"), tools: [read] });
  expect(body).toEqual({
    systemInstruction: { parts: [{ text: "Be brief." }] },
    generationConfig: { maxOutputTokens: 10_000, thinkingConfig: { thinkingBudget: 0 } },
    tools: [
      {
        functionDeclarations: [
          {
            name: "read",
            description: "Reads a file.",
            parametersJsonSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
          },
        ],
      },
    ],
    contents: [
      { role: "user", parts: [{ text: "Compare a and b" }] },
      {
        role: "model",
        parts: [
          { text: "Both files", thought: true, thoughtSignature: "c2lnbmVk" },
          { text: "Reading" },
          { functionCall: { name: "read", args: { path: "a" } } },
          { functionCall: { name: "read", args: { path: "b" } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "read", response: { output: "alpha" } } },
          { functionResponse: { name: "read", response: { error: "no such file" } } },
          { text: "Go on" },
        ],
      },
    ],
  });
});

describe("GG-003 signatures", () => {
  const answer = (signature: string): AssistantMessage =>
    assistant(gemini, [
      { type: "thinking", thinking: "hm", thinkingSignature: signature },
      { type: "text", text: "", textSignature: signature },
      { type: "text", text: "hi", textSignature: signature },
      call("call_a", signature),
    ]);

  test("go back to the model that they came from, with an empty text too", () => {
    const [, { parts }] = contentsOf(gemini, user("a"), answer("c2lnbmVk"), result("call_a", "x"));
    expect(parts).toEqual([
      { text: "hm", thought: true, thoughtSignature: "c2lnbmVk" },
      { text: "", thoughtSignature: "c2lnbmVk" },
      { text: "hi", thoughtSignature: "c2lnbmVk" },
      { functionCall: { name: "ls", args: {} }, thoughtSignature: "c2lnbmVk" },
    ]);
  });

  test("are not sent to another model", () => {
    const [, { parts }] = contentsOf({ ...gemini, id: "gemini-2.5-pro" }, user("a"), answer("c2lnbmVk"), result("call_a", "x"));
    expect(parts).toEqual([{ text: "hm" }, { text: "hi" }, { functionCall: { name: "ls", args: {} } }]);
  });

  test.each(["thought", "abc", "ab!=", "a=bc"])("are not sent when they are no base64: %j", (signature) => {
    const [, { parts }] = contentsOf(gemini, user("a"), answer(signature), result("call_a", "x"));
    expect(JSON.stringify(parts)).not.toContain("thoughtSignature");
    expect(parts[0]).toEqual({ text: "hm", thought: true });
  });
});

describe("GG-004 the first call of a step has a signature", () => {
  const signaturesOf = (model: Model, ...blocks: Block[]) => {
    const results = blocks.flatMap((block) => (block.type === "toolCall" ? [result(block.id, "x")] : []));
    const [, { parts }] = contentsOf(model, user("a"), assistant(model, blocks), ...results);
    return parts.map((part: { thoughtSignature?: string }) => part.thoughtSignature);
  };

  test("its own, or the documented stand-in; the others have none", () => {
    expect(signaturesOf(gemini3, call("a", "c2lnbmVk"), call("b"))).toEqual(["c2lnbmVk", undefined]);
    expect(signaturesOf(gemini3, call("a"), call("b"))).toEqual(["skip_thought_signature_validator", undefined]);
    expect(signaturesOf(gemini, call("a"), call("b"))).toEqual([undefined, undefined]);
  });

  test("also after a hand-over from another provider", () => {
    const foreign = assistant(testModel("openai-completions", "http://x"), [call("call_a"), call("call_b")]);
    const [, { parts }] = contentsOf(gemini3, user("a"), foreign, result("call_a", "x"), result("call_b", "y"));
    expect(parts).toEqual([
      { functionCall: { id: "call_a", name: "ls", args: {} }, thoughtSignature: "skip_thought_signature_validator" },
      { functionCall: { id: "call_b", name: "ls", args: {} } },
    ]);
  });
});

describe("GG-006 GG-007 results", () => {
  const answer = assistant(gemini, [call("a"), call("b")]);
  const seen = { ...result("a", "see"), content: [{ type: "text" as const, text: "see" }, image] };

  test("come in the order of the calls, with nothing between, in one turn", () => {
    const contents = contentsOf(gemini, user("go"), answer, result("b", "two"), user("steer"), result("a", "one"));
    expect(contents.slice(2)).toEqual([
      {
        role: "user",
        parts: [
          { functionResponse: { name: "ls", response: { output: "one" } } },
          { functionResponse: { name: "ls", response: { output: "two" } } },
          { text: "steer" },
        ],
      },
    ]);
  });

  test("images stand inside the response for Gemini 3", () => {
    const [, , { parts }] = contentsOf(gemini3, user("go"), answer, seen, result("b", "two"));
    expect(parts).toEqual([
      {
        functionResponse: {
          id: "a",
          name: "ls",
          response: { output: "see" },
          parts: [{ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }],
        },
      },
      { functionResponse: { id: "b", name: "ls", response: { output: "two" } } },
    ]);
  });

  test("images follow all responses of the turn for older models", () => {
    const [, , { parts }] = contentsOf(gemini, user("go"), answer, seen, result("b", "two"), user("so?"));
    expect(parts).toEqual([
      { functionResponse: { name: "ls", response: { output: "see" } } },
      { functionResponse: { name: "ls", response: { output: "two" } } },
      { text: "Images of the tool results:" },
      { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
      { text: "so?" },
    ]);
  });
});

test.each([
  ["gemini-2.5-pro", false],
  ["gemini-3-flash", true],
  ["gemini-flash-latest", true],
  ["claude-sonnet-4-5", true],
  ["gpt-oss-120b", true],
  ["gemma-3-27b-it", false],
])("GG-008 %s wants ids: %s", (id, wanted) => {
  const [, { parts }, { parts: responses }] = contentsOf(
    { ...gemini, id },
    user("go"),
    assistant(gemini, [call("call_a")]),
    result("call_a", "x"),
  );
  expect(parts[0].functionCall.id).toBe(wanted ? "call_a" : undefined);
  expect(responses[0].functionResponse.id).toBe(wanted ? "call_a" : undefined);
});

test("GG-009 the older field gets a schema without what it does not know", () => {
  const parameters = {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: "tool",
    $comment: "internal",
    $defs: { point: { type: "object" } },
    type: "object",
    additionalProperties: false,
    properties: {
      path: { type: ["string", "null"], format: "uri", description: "A path.", minLength: 1 },
      at: { $ref: "#/$defs/point" },
      level: { enum: [1, 2], type: "integer" },
      mode: { anyOf: [{ const: "fast" }, { const: "slow" }, true] },
      when: { type: "string", format: "date-time" },
      tags: { type: "array", items: { type: "string", enum: ["a", "b"] } },
      anything: true,
    },
    required: ["path"],
  };
  const tools = [{ name: "t", description: "d", parameters: parameters as never }];
  const [{ functionDeclarations }] = bodyOf({ ...gemini, compat: { schemaField: "parameters" } }, { tools }).tools;
  expect(functionDeclarations).toEqual([
    {
      name: "t",
      description: "d",
      parameters: {
        type: "object",
        properties: {
          path: { type: "string", nullable: true, description: "A path.", minLength: 1 },
          at: {},
          level: { type: "integer" },
          mode: { anyOf: [{ enum: ["fast"] }, { enum: ["slow"] }] },
          when: { type: "string", format: "date-time" },
          tags: { type: "array", items: { type: "string", enum: ["a", "b"] } },
          anything: {},
        },
        required: ["path"],
      },
    },
  ]);
});

describe("GG-010 AI-036 thinking", () => {
  const levels = ["off", "minimal", "low", "medium", "high", "xhigh"] as const;

  test.each([
    ["gemini-2.5-pro", [128, 512, 2048, 8192, 32_768, 32_768]],
    ["gemini-2.5-flash", [0, 512, 2048, 8192, 24_576, 24_576]],
    ["gemini-2.5-flash-lite", [0, 512, 2048, 8192, 24_576, 24_576]],
  ])("%s takes budgets", (id, budgets) => {
    for (const [index, reasoning] of levels.entries()) {
      const thoughts = reasoning === "off" ? {} : { includeThoughts: true };
      expect(bodyOf({ ...gemini, id }, {}, { reasoning }).generationConfig.thinkingConfig).toEqual({
        ...thoughts,
        thinkingBudget: budgets[index],
      });
    }
  });

  test.each([
    ["gemini-3-pro-preview", ["LOW", "LOW", "LOW", "HIGH", "HIGH", "HIGH"]],
    ["gemini-3-flash", ["MINIMAL", "MINIMAL", "LOW", "MEDIUM", "HIGH", "HIGH"]],
    ["gemini-3.5-flash-lite", ["MINIMAL", "MINIMAL", "LOW", "MEDIUM", "HIGH", "HIGH"]],
    ["gemini-3.1-pro-preview", ["LOW", "LOW", "LOW", "MEDIUM", "HIGH", "HIGH"]],
    ["gemini-3.8-flash", ["LOW", "LOW", "LOW", "MEDIUM", "HIGH", "HIGH"]],
    ["gemini-4-argon", ["LOW", "LOW", "LOW", "MEDIUM", "HIGH", "HIGH"]],
    ["gemini-flash-latest", ["LOW", "LOW", "LOW", "MEDIUM", "HIGH", "HIGH"]],
  ])("%s takes levels", (id, names) => {
    for (const [index, reasoning] of levels.entries()) {
      const thoughts = reasoning === "off" ? {} : { includeThoughts: true };
      expect(bodyOf({ ...gemini, id }, {}, { reasoning }).generationConfig.thinkingConfig).toEqual({
        ...thoughts,
        thinkingLevel: names[index],
      });
    }
  });

  test("models without reasoning get no such field, and unknown ones are asked to show their thoughts", () => {
    expect(bodyOf({ ...gemini, reasoning: false }, {}, { reasoning: "high" }).generationConfig).not.toHaveProperty(
      "thinkingConfig",
    );
    const other = { ...gemini, id: "other" };
    expect(bodyOf(other, {}, { reasoning: "high" }).generationConfig.thinkingConfig).toEqual({ includeThoughts: true });
    expect(bodyOf(other).generationConfig).not.toHaveProperty("thinkingConfig");
  });
});

test("GG-014 AI-037 only a choice that is none of the default is sent", () => {
  const tools = [{ name: "ls", description: "Lists.", parameters: Type.Object({}) }];
  const configOf = (toolChoice: StreamOptions["toolChoice"] & {}) => bodyOf(gemini, { tools }, { toolChoice }).toolConfig;
  expect(bodyOf(gemini, { tools })).not.toHaveProperty("toolConfig");
  expect(configOf("auto")).toBeUndefined();
  expect(configOf("none")).toEqual({ functionCallingConfig: { mode: "NONE" } });
  expect(configOf("required")).toEqual({ functionCallingConfig: { mode: "ANY" } });
  expect(configOf({ tool: "ls" })).toEqual({ functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["ls"] } });
  expect(configOf({ tool: "rm" })).toBeUndefined();
  expect(bodyOf(gemini, { tools: [] }, { toolChoice: "required" })).not.toHaveProperty("tools");
});

describe("GG-015 turns", () => {
  test("neighbours of one role are one turn, and the user has the last one", () => {
    const contents = contentsOf(
      gemini,
      user("a"),
      user([{ type: "text", text: "b" }, image]),
      assistant(gemini, [{ type: "text", text: "c" }]),
      assistant(gemini, [{ type: "text", text: "d" }]),
    );
    expect(contents).toEqual([
      { role: "user", parts: [{ text: "a" }, { text: "b" }, { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }] },
      { role: "model", parts: [{ text: "c" }, { text: "d" }] },
      { role: "user", parts: [{ text: "Continue." }] },
    ]);
  });

  test("a history that starts with an answer gets a turn of the user before it", () => {
    const contents = contentsOf(gemini, assistant(gemini, [{ type: "text", text: "so" }]), user("b"));
    expect(contents.map(({ role }: { role: string }) => role)).toEqual(["user", "model", "user"]);
    expect(contents[0].parts[0].text).not.toBe("");
  });
});

test("AI-035 AI-037 limits: the caller's, else the model's; temperature 0 is sent", () => {
  expect(bodyOf(gemini, {}, { maxTokens: 5, temperature: 0 }).generationConfig).toMatchObject({
    maxOutputTokens: 5,
    temperature: 0,
  });
  const bare = { ...gemini, maxTokens: 0, reasoning: false };
  expect(Object.keys(bodyOf(bare, { systemPrompt: " " }))).toEqual(["contents"]);
});

test("AI-015 the system prompt has no half surrogate pairs", () => {
  expect(bodyOf(gemini, { systemPrompt: "a\ud83db 👋" }).systemInstruction.parts[0].text).toBe("ab 👋");
});

test("AI-016 converting does not change the messages", () => {
  const messages = conversation(gemini3, "c2lnbmVk");
  const before = structuredClone(messages);
  const first = JSON.stringify(bodyOf(gemini3, { messages }));
  expect(messages).toEqual(before);
  expect(JSON.stringify(bodyOf(gemini3, { messages }))).toBe(first);
});
