import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { resolveCompat } from "../../../src/apis/openai-completions/compat.ts";
import { completionsWriter } from "../../../src/apis/openai-completions/request.ts";
import type { Context, Message, Model, StreamOptions } from "../../../src/index.ts";
import { assistant, result, user } from "../../helpers/messages.ts";
import { testModel } from "../../helpers/models.ts";

const { createBody } = completionsWriter;

const unknown = testModel("openai-completions", "https://models.example.com/v1", { provider: "mine" });

function modelOf(provider: string, id = "test-model", overrides: Partial<Model> = {}): Model {
  return { ...unknown, provider, id, reasoning: true, ...overrides };
}

function bodyOf(model: Model, options: StreamOptions = {}, context: Partial<Context> = {}) {
  // As it goes over the wire.
  return JSON.parse(JSON.stringify(createBody({ model, context: { messages: [user("hi")], ...context }, options })));
}

/** The fields of a body that every endpoint gets. */
const common = ["messages", "model", "stream", "stream_options"];

/** What is sent beyond those, with everything asked for that could bring more. */
function extrasOf(model: Model, options: StreamOptions = {}) {
  const asked: StreamOptions = { sessionId: "session", cacheRetention: "long", ...options };
  return Object.fromEntries(Object.entries(bodyOf(model, asked)).filter(([name]) => !common.includes(name)));
}

describe("OC-019 each field is resolved by itself", () => {
  test("the model's own setting goes before its provider, that before its host, that before the careful default", () => {
    const deepseekHost = "https://api.deepseek.com/v1";
    const resolve = (overrides: Partial<Model>) => resolveCompat({ ...unknown, ...overrides });
    expect(resolve({}).maxTokensField).toBe("max_completion_tokens");
    expect(resolve({ baseUrl: deepseekHost })).toMatchObject({ maxTokensField: "max_tokens", thinkingSwitch: "thinking" });
    // Groq says nothing of a switch, so the host's stays.
    expect(resolve({ provider: "groq", baseUrl: deepseekHost, id: "qwen" })).toMatchObject({
      effortOff: "none",
      thinkingSwitch: "thinking",
    });
    expect(resolve({ provider: "mistral", baseUrl: deepseekHost })).toMatchObject({
      toolCallIds: "alphanumeric9",
      sendMaxTokens: true,
    });
    const compat = { thinkingSwitch: "none", maxTokensField: "max_completion_tokens" };
    expect(resolve({ baseUrl: deepseekHost, compat })).toMatchObject({ ...compat, requireReasoningContent: true });
  });

  test.each([
    { baseUrl: "https://API.DeepSeek.COM/beta", known: true },
    { baseUrl: "https://deepseek.com", known: true },
    { baseUrl: "https://deepseek.com.example.org", known: false },
    { baseUrl: "https://notdeepseek.com", known: false },
    { baseUrl: "https://example.org/deepseek.com", known: false },
    { baseUrl: "https://example.org/?host=api.deepseek.com", known: false },
    { baseUrl: "http://deepseek.com@example.org", known: false },
    { baseUrl: "no address", known: false },
  ])("the host of $baseUrl is parsed, not searched for", ({ baseUrl, known }) => {
    expect(resolveCompat({ ...unknown, baseUrl }).requireReasoningContent).toBe(known);
  });
});

describe("OC-014 OC-031 what each vendor gets beyond the fields that all know, thinking off and on", () => {
  const cached = { prompt_cache_key: "session" };
  test.each([
    {
      provider: "openai",
      id: "gpt-5.1",
      off: { store: false, ...cached, prompt_cache_retention: "24h", reasoning_effort: "none" },
      on: { store: false, ...cached, prompt_cache_retention: "24h", reasoning_effort: "high" },
    },
    { provider: "openai", id: "o3", off: { store: false, ...cached }, on: { store: false, ...cached, reasoning_effort: "high" } },
    {
      provider: "azure-openai",
      id: "gpt-5.1",
      off: { ...cached, reasoning_effort: "none" },
      on: { ...cached, reasoning_effort: "high" },
    },
    {
      provider: "openrouter",
      id: "z-ai/glm-5:free",
      off: { reasoning: { effort: "none" } },
      on: { reasoning: { effort: "high" } },
    },
    { provider: "openrouter", id: "openai/o3", off: {}, on: { reasoning: { effort: "high" } } },
    { provider: "xai", id: "grok-4", off: {}, on: {} },
    { provider: "xai", id: "grok-3-mini", off: {}, on: { reasoning_effort: "high" } },
    { provider: "xai", id: "grok-4.20-reasoning", off: {}, on: {} },
    { provider: "xai", id: "grok-4.3", off: { reasoning_effort: "none" }, on: { reasoning_effort: "high" } },
    { provider: "xai", id: "grok-4.7", off: {}, on: { reasoning_effort: "high" } },
    { provider: "groq", id: "qwen/qwen3-32b", off: { reasoning_effort: "none" }, on: { reasoning_effort: "default" } },
    { provider: "groq", id: "openai/gpt-oss-120b", off: {}, on: { reasoning_effort: "high" } },
    { provider: "mistral", off: {}, on: {} },
    {
      provider: "deepseek",
      off: { max_tokens: 10_000, thinking: { type: "disabled" } },
      on: { max_tokens: 10_000, thinking: { type: "enabled" } },
    },
    {
      provider: "deepseek",
      id: "deepseek-v4-pro",
      off: { max_tokens: 10_000, thinking: { type: "disabled" } },
      on: { max_tokens: 10_000, thinking: { type: "enabled" }, reasoning_effort: "high" },
    },
    { provider: "together", off: { max_tokens: 10_000 }, on: { max_tokens: 10_000 } },
    { provider: "cerebras", off: {}, on: {} },
    { provider: "cerebras", id: "gpt-oss-120b", off: {}, on: { reasoning_effort: "high" } },
    {
      provider: "zai",
      off: { max_tokens: 10_000, thinking: { type: "disabled", clear_thinking: false } },
      on: { max_tokens: 10_000, thinking: { type: "enabled", clear_thinking: false } },
    },
    {
      provider: "moonshot",
      id: "kimi-k2.5",
      off: { max_tokens: 10_000, thinking: { type: "disabled" } },
      on: { max_tokens: 10_000, thinking: { type: "enabled" } },
    },
    { provider: "moonshot", id: "kimi-k2-thinking", off: { max_tokens: 10_000 }, on: { max_tokens: 10_000 } },
    {
      provider: "qwen",
      off: { max_completion_tokens: 10_000, enable_thinking: false },
      on: { max_completion_tokens: 10_000, enable_thinking: true },
    },
    { provider: "chutes", off: {}, on: { reasoning_effort: "high" } },
    { provider: "nvidia", off: { max_tokens: 10_000 }, on: { max_tokens: 10_000, reasoning_effort: "high" } },
    { provider: "ollama", off: { reasoning_effort: "none" }, on: { reasoning_effort: "high" } },
    { provider: "llama.cpp", off: {}, on: { reasoning_effort: "high" } },
    { provider: "lmstudio", off: {}, on: { reasoning_effort: "high" } },
    { provider: "vllm", off: {}, on: { reasoning_effort: "high" } },
    { provider: "mine", off: {}, on: { reasoning_effort: "high" } },
  ])("$provider $id", ({ provider, id, off, on }) => {
    const baseUrl = provider === "azure-openai" ? "https://res.openai.azure.com" : unknown.baseUrl;
    const model = modelOf(provider, id, { baseUrl });
    expect(extrasOf(model)).toEqual(off);
    expect(extrasOf(model, { reasoning: "high" })).toEqual(on);
    // A model without reasoning has none of it.
    const { reasoning_effort, thinking, reasoning, enable_thinking, ...rest } = off as Record<string, unknown>;
    expect(extrasOf({ ...model, reasoning: false }, { reasoning: "high" })).toEqual(rest);
  });

  test.each([
    ["https://api.openai.com/v1", "developerRole"],
    ["https://openrouter.ai/api/v1", "thinkingSwitch"],
    ["https://api.x.ai/v1", "reasoningEffort"],
    ["https://api.mistral.ai/v1", "assistantAfterToolResult"],
    ["https://api.deepseek.com", "requireReasoningContent"],
    ["https://api.together.xyz/v1", "sendMaxTokens"],
    ["https://api.cerebras.ai/v1", "reasoningEffort"],
    ["https://api.z.ai/api/paas/v4", "thinkingSwitch"],
    ["https://open.bigmodel.cn/api/paas/v4", "thinkingSwitch"],
    ["https://api.moonshot.ai/v1", "requireReasoningContent"],
    ["https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "thinkingSwitch"],
    ["https://llm.chutes.ai/v1", "maxTokensField"],
    ["https://integrate.api.nvidia.com/v1", "sendMaxTokens"],
    ["https://res.openai.azure.com/openai/v1", "developerRole"],
    ["https://res.services.ai.azure.com", "developerRole"],
    ["http://localhost:11434/v1", "emptyLengthIsOverflow"],
    ["http://127.0.0.1:1234/v1", "namedToolChoice"],
  ] as const)("%s is known by its host", (baseUrl, field) => {
    expect(resolveCompat({ ...unknown, baseUrl })[field]).not.toEqual(resolveCompat(unknown)[field]);
  });

  test("a port tells a local server on this machine only", () => {
    expect(resolveCompat({ ...unknown, baseUrl: "http://example.org:11434/v1" })).toEqual(resolveCompat(unknown));
  });
});

test.each(["deepseek", "zai", "moonshot", "together", "chutes", "nvidia", "mistral"])(
  "OC-013 %s limits answers by max_tokens",
  (provider) => {
    expect(bodyOf(modelOf(provider), { maxTokens: 50 })).toMatchObject({ max_tokens: 50 });
  },
);

test.each(["openai", "azure-openai", "xai", "groq", "cerebras", "openrouter", "mine"])(
  "OC-013 %s limits answers by max_completion_tokens",
  (provider) => {
    const baseUrl = "https://res.openai.azure.com";
    expect(
      bodyOf(modelOf(provider, "test-model", { baseUrl: provider === "azure-openai" ? baseUrl : unknown.baseUrl }), {
        maxTokens: 50,
      }),
    ).toMatchObject({
      max_completion_tokens: 50,
    });
  },
);

describe("OC-012 OC-014 OC-028 tools and roles", () => {
  const tools = [{ name: "read", description: "Reads.", parameters: Type.Object({}) }];
  const toolOf = (provider: string) => bodyOf(modelOf(provider), {}, { tools }).tools[0].function;

  test("strict is said to OpenAI, as a boolean, and to nobody else", () => {
    expect(toolOf("openai").strict).toBe(false);
    for (const provider of ["cerebras", "groq", "mistral", "mine"]) expect(toolOf(provider)).not.toHaveProperty("strict");
  });

  test.each(["deepseek", "mistral", "zai", "xai", "groq", "openrouter", "mine"])("%s gets the role system", (provider) => {
    expect(bodyOf(modelOf(provider), {}, { systemPrompt: "Be brief." }).messages[0].role).toBe("system");
  });
});

test.each([
  { id: "gpt-5.1", level: "xhigh", effort: "high" },
  { id: "gpt-5.1", level: "minimal", effort: "low" },
  { id: "gpt-5.2", level: "xhigh", effort: "xhigh" },
  { id: "gpt-5.1-codex-max", level: "xhigh", effort: "xhigh" },
  { id: "gpt-5.1-codex", level: "xhigh", effort: "high" },
  { id: "gpt-5", level: "minimal", effort: "minimal" },
  { id: "gpt-5-pro", level: "low", effort: "high" },
  { id: "gpt-5.2-pro", level: "low", effort: "medium" },
  { id: "gpt-6-sol", level: "xhigh", effort: "xhigh" },
  { id: "o4-mini", level: "minimal", effort: "low" },
] as const)("AI-036 $level of $id is the effort $effort", ({ id, level, effort }) => {
  expect(bodyOf(modelOf("openai", id), { reasoning: level }).reasoning_effort).toBe(effort);
});

test("AI-036 a level that an endpoint does not know becomes the nearest one", () => {
  const effortOf = (provider: string, id: string, reasoning: "minimal" | "medium" | "xhigh") =>
    bodyOf(modelOf(provider, id), { reasoning }).reasoning_effort;
  expect(effortOf("mine", "any", "xhigh")).toBe("high");
  expect(effortOf("mine", "any", "minimal")).toBe("low");
  expect(effortOf("xai", "grok-3-mini", "medium")).toBe("low");
  expect(bodyOf(modelOf("mine", "any", { compat: { efforts: ["max"] } }), { reasoning: "low" }).reasoning_effort).toBe("max");
  expect(bodyOf(modelOf("mine", "any", { compat: { efforts: [] } }), { reasoning: "low" })).not.toHaveProperty("reasoning_effort");
});

describe("conversations", () => {
  const call = (id: string) => ({ type: "toolCall" as const, id, name: "read", arguments: {} });
  const messagesOf = (model: Model, messages: Message[], options: StreamOptions = {}) =>
    bodyOf(model, options, { messages }).messages;

  test("OC-022 DeepSeek wants reasoning_content with every answer while it thinks, even an empty one", () => {
    const deepseek = modelOf("deepseek");
    const messages = [
      user("a"),
      assistant(deepseek, [
        { type: "thinking", thinking: "hm", thinkingSignature: "reasoning_content" },
        { type: "text", text: "b" },
      ]),
      user("c"),
      assistant({ ...deepseek, id: "other" }, [{ type: "text", text: "d" }]),
      user("e"),
    ];
    const reasoning = (options: StreamOptions) =>
      messagesOf(deepseek, messages, options).map((message: { reasoning_content?: string }) => message.reasoning_content);
    expect(reasoning({ reasoning: "low" })).toEqual([undefined, "hm", undefined, "", undefined]);
    expect(reasoning({})).toEqual([undefined, "hm", undefined, undefined, undefined]);
  });

  test("OC-022 a model that reads text only gets no image", () => {
    const image = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" };
    const deepseek = modelOf("deepseek", "deepseek-chat", { input: ["text"] });
    expect(JSON.stringify(messagesOf(deepseek, [user([image])]))).not.toContain("image_url");
  });

  test("OC-027 OC-020 Mistral gets ids of nine characters and a word of the assistant between results and user", () => {
    const mistral = modelOf("mistral");
    const messages = messagesOf(mistral, [
      user("a"),
      assistant(mistral, [call("call_1"), call("call_2")]),
      result("call_1", "x"),
      result("call_2", "y"),
      user("b"),
    ]);
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant", "user"]);
    const ids = messages[1].tool_calls.map(({ id }: { id: string }) => id);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(new Set(ids).size).toBe(2);
    expect([messages[2].tool_call_id, messages[3].tool_call_id]).toEqual(ids);
  });

  test("OC-027 Mistral is never asked to go on with an answer of its own", () => {
    const mistral = modelOf("mistral");
    const messages = [user("a"), assistant(mistral, [{ type: "text", text: "b" }])];
    expect(messagesOf(mistral, messages).at(-1)).toEqual({ role: "user", content: "Continue." });
    expect(messagesOf(unknown, messages).at(-1).role).toBe("assistant");
  });

  test("OC-020 the bridge, names on results and thinking as text are switches, off by default", () => {
    const messages = [
      user("a"),
      assistant(unknown, [{ type: "thinking", thinking: "hm", thinkingSignature: "reasoning" }, call("call_1")]),
      result("call_1", "x"),
      user("b"),
    ];
    expect(messagesOf(unknown, messages)).toEqual([
      { role: "user", content: "a" },
      {
        role: "assistant",
        content: null,
        reasoning: "hm",
        tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "x" },
      { role: "user", content: "b" },
    ]);
    const compat = { assistantAfterToolResult: true, toolResultName: true, thinkingAsText: true };
    expect(messagesOf({ ...unknown, compat }, messages)).toEqual([
      { role: "user", content: "a" },
      {
        role: "assistant",
        content: "hm",
        tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "x", name: "read" },
      { role: "assistant", content: "I have the results." },
      { role: "user", content: "b" },
    ]);
  });

  test("OC-011 calls without text have empty text where null is rejected", () => {
    const messages = [user("a"), assistant(unknown, [call("call_1")]), result("call_1", "x")];
    expect(messagesOf({ ...unknown, compat: { nullContent: false } }, messages)[1].content).toBe("");
  });

  test("OC-021 a history with calls gets an empty list of tools only where that is wanted", () => {
    const messages = [user("a"), assistant(unknown, [call("call_1")]), result("call_1", "x")];
    const proxy = { ...unknown, compat: { emptyTools: true } };
    expect(bodyOf(unknown, {}, { messages })).not.toHaveProperty("tools");
    expect(bodyOf(proxy, {}, { messages }).tools).toEqual([]);
    expect(bodyOf(proxy)).not.toHaveProperty("tools");
  });
});

test("OC-024 Qwen behind other servers is switched through the chat template", () => {
  const model = modelOf("mine", "qwen3", { compat: { thinkingSwitch: "chat_template_kwargs", reasoningEffort: false } });
  expect(extrasOf(model)).toEqual({ chat_template_kwargs: { enable_thinking: false, preserve_thinking: false } });
  expect(extrasOf(model, { reasoning: "low" })).toEqual({
    chat_template_kwargs: { enable_thinking: true, preserve_thinking: true },
  });
});

describe("OC-025 OpenRouter", () => {
  const claude = modelOf("openrouter", "anthropic/claude-sonnet-4.5");
  const tools = [{ name: "read", description: "Reads.", parameters: Type.Object({}) }];
  const context = {
    systemPrompt: "Be brief.",
    tools,
    messages: [user("a"), assistant(claude, [{ type: "text", text: "b" }]), user("c")],
  };

  test("marks what to cache for Anthropic's models", () => {
    const { messages, tools: sent } = bodyOf(claude, {}, context);
    const cache_control = { type: "ephemeral" };
    expect(messages).toEqual([
      { role: "system", content: [{ type: "text", text: "Be brief.", cache_control }] },
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
      { role: "user", content: [{ type: "text", text: "c", cache_control }] },
    ]);
    expect(sent[0].cache_control).toEqual(cache_control);
    expect(JSON.stringify(bodyOf(claude, { cacheRetention: "long" }, context)).match(/"ttl":"1h"/g)).toHaveLength(3);
  });

  test("marks nothing for others, or when nothing is to be kept", () => {
    expect(JSON.stringify(bodyOf(claude, { cacheRetention: "none" }, context))).not.toContain("cache_control");
    expect(JSON.stringify(bodyOf(modelOf("openrouter", "openai/gpt-5.1"), {}, context))).not.toContain("cache_control");
  });

  test.each([
    "openai/o3",
    "openai/gpt-5",
    "openai/gpt-oss-120b",
    "google/gemini-2.5-pro",
    "google/gemini-3-flash",
    "deepseek/deepseek-r1",
    "qwen/qwen3-thinking",
  ])("does not tell %s, which must think, to stop", (id) => {
    expect(bodyOf(modelOf("openrouter", id))).not.toHaveProperty("reasoning");
  });

  test.each(["openai/gpt-5.1", "anthropic/claude-sonnet-4.5", "z-ai/glm-4.6:exacto", "x-ai/grok-4-fast"])(
    "tells %s not to think",
    (id) => {
      expect(bodyOf(modelOf("openrouter", id))).toMatchObject({ model: id, reasoning: { effort: "none" } });
    },
  );
});

describe("AI-037 OC-030 tool choice", () => {
  const tools = ["read", "write"].map((name) => ({ name, description: name, parameters: Type.Object({}) }));
  const choiceOf = (model: Model, toolChoice: NonNullable<StreamOptions["toolChoice"]>) => {
    const body = bodyOf(model, { toolChoice }, { tools });
    return [body.tool_choice, body.tools.map((tool: { function: { name: string } }) => tool.function.name)];
  };

  test("is sent as the API spells it", () => {
    expect(choiceOf(unknown, "auto")).toEqual([undefined, ["read", "write"]]);
    expect(choiceOf(unknown, "none")).toEqual(["none", ["read", "write"]]);
    expect(choiceOf(unknown, "required")).toEqual(["required", ["read", "write"]]);
    expect(choiceOf(unknown, { tool: "write" })).toEqual([{ type: "function", function: { name: "write" } }, ["read", "write"]]);
    expect(choiceOf(unknown, { tool: "absent" })).toEqual([undefined, ["read", "write"]]);
    expect(bodyOf(unknown, { toolChoice: "required" })).not.toHaveProperty("tool_choice");
  });

  test.each(["llama.cpp", "lmstudio"])("of a named tool is narrowed to that tool for %s", (provider) => {
    expect(choiceOf(modelOf(provider), { tool: "write" })).toEqual(["required", ["write"]]);
    expect(choiceOf(modelOf(provider), "required")).toEqual(["required", ["read", "write"]]);
  });
});
