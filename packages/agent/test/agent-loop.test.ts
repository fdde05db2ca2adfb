import type { AssistantMessage, Model } from "@pikit/ai";
import { expect, test } from "vitest";
import { createEchoTool, createScriptedAgent, outline } from "./helpers/scripted-agent.ts";

test("AG-001 a prompt gives one complete sequence of events", async () => {
  const { agent, events } = createScriptedAgent([{ text: "Hello there" }]);
  await agent.prompt("Hi");
  expect(outline(events)).toEqual([
    "agent_start",
    "turn_start",
    "user: Hi",
    "  start",
    "  text_start",
    "  text_end",
    "  done",
    "assistant: Hello there [stop]",
    "turn_end",
    "agent_end",
  ]);
  const starts = events.filter(({ type }) => type === "message_start");
  expect(starts).toHaveLength(2);
});

test("AG-002 agent_end holds what the run added, turn_end its results in call order", async () => {
  const { agent, events } = createScriptedAgent(
    [
      {
        text: "Two calls",
        toolCalls: [
          { name: "echo", arguments: { text: "a" } },
          { name: "echo", arguments: { text: "b" } },
        ],
      },
      { text: "Done" },
    ],
    { tools: [createEchoTool()], messages: [{ role: "user", content: "earlier", timestamp: 1 }] },
  );
  await agent.prompt("Go");
  expect(outline(events)).toEqual([
    "agent_start",
    "turn_start",
    "user: Go",
    "  start",
    "  text_start",
    "  text_end",
    "  toolcall_start",
    "  toolcall_end",
    "  toolcall_start",
    "  toolcall_end",
    "  done",
    "assistant: Two calls + echo() + echo() [toolUse]",
    "tool_execution_start echo",
    "tool_execution_end echo",
    "tool_execution_start echo",
    "tool_execution_end echo",
    "toolResult: a",
    "toolResult: b",
    "turn_end",
    "turn_start",
    "  start",
    "  text_start",
    "  text_end",
    "  done",
    "assistant: Done [stop]",
    "turn_end",
    "agent_end",
  ]);
  const end = events.at(-1);
  expect(end?.type === "agent_end" && end.messages).toEqual(agent.state.messages.slice(1));
  expect(end?.type === "agent_end" && end.willRetry).toBe(false);
});

test("AG-003, AG-004 parallel tools start together, end as they finish, and answer in call order", async () => {
  const slow = Promise.withResolvers<void>();
  const started: string[] = [];
  const tool = createEchoTool({
    executionMode: "parallel",
    async execute(_id, params) {
      const { text } = params as { text: string };
      started.push(text);
      if (text === "slow") await slow.promise;
      else if (started.length === 2) queueMicrotask(slow.resolve);
      return { content: [{ type: "text", text }], details: null };
    },
  });
  const { agent, events } = createScriptedAgent(
    [
      {
        toolCalls: [
          { name: "echo", id: "1", arguments: { text: "slow" } },
          { name: "echo", id: "2", arguments: { text: "fast" } },
        ],
      },
      { text: "ok" },
    ],
    { tools: [tool] },
  );
  await agent.prompt("Go");
  const order = events.flatMap((event) => {
    if (event.type === "tool_execution_start" || event.type === "tool_execution_end") return [`${event.type} ${event.toolCallId}`];
    return event.type === "message_end" && event.message.role === "toolResult" ? [`result ${event.message.toolCallId}`] : [];
  });
  expect(order).toEqual([
    "tool_execution_start 1",
    "tool_execution_start 2",
    "tool_execution_end 2",
    "tool_execution_end 1",
    "result 1",
    "result 2",
  ]);
});

test("AG-004 one sequential tool makes the whole batch run in the order of the calls", async () => {
  const log: string[] = [];
  const record = (name: string, executionMode: "parallel" | "sequential") =>
    createEchoTool({
      name,
      executionMode,
      async execute() {
        log.push(`start ${name}`);
        await Promise.resolve();
        log.push(`end ${name}`);
        return { content: [], details: null };
      },
    });
  const calls = ["look", "change", "look"].map((name) => ({ name, arguments: { text: "x" } }));
  const { agent } = createScriptedAgent([{ toolCalls: calls }, { text: "ok" }], {
    tools: [record("look", "parallel"), record("change", "sequential")],
  });
  await agent.prompt("Go");
  expect(log).toEqual(["start look", "end look", "start change", "end change", "start look", "end look"]);
});

test("AG-005 unknown tools, bad arguments and throwing tools are answered with usable texts, and siblings run", async () => {
  const broken = createEchoTool({
    name: "broken",
    execute: () => {
      throw new Error("The disk is on fire");
    },
  });
  const { agent } = createScriptedAgent(
    [
      {
        toolCalls: [
          { name: "missing", arguments: {} },
          { name: "echo", arguments: { text: 5, times: "many" } },
          { name: "broken", arguments: { text: "x" } },
          { name: "echo", arguments: { text: "fine" } },
        ],
      },
      { text: "ok" },
    ],
    { tools: [createEchoTool(), broken] },
  );
  await agent.prompt("Go");
  const results = agent.state.messages.flatMap((message) => (message.role === "toolResult" ? [message] : []));
  expect(results.map(({ isError }) => isError)).toEqual([true, true, true, false]);
  const texts = results.map(({ content }) => (content[0]?.type === "text" ? content[0].text : ""));
  expect(texts[0]).toBe('There is no tool named "missing". Available: echo, broken.');
  expect(texts[1]).toContain("Invalid arguments for echo. /times: Expected integer");
  expect(texts[1]).toContain('Received: {"text":5,"times":"many"}');
  expect(texts[2]).toBe("The disk is on fire");
  expect(texts[3]).toBe("fine");
  expect(agent.state.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
});

test("AG-006 tools get coerced copies; history and events keep what the model wrote", async () => {
  const seen: unknown[] = [];
  const tool = createEchoTool({
    async execute(_id, params) {
      seen.push(structuredClone(params));
      (params as { text: string }).text = "changed by the tool";
      return { content: [], details: null };
    },
  });
  const { agent, events } = createScriptedAgent(
    [{ toolCalls: [{ name: "echo", arguments: { text: "as written", times: "2" } }] }, { text: "ok" }],
    { tools: [tool] },
  );
  await agent.prompt("Go");
  expect(seen).toEqual([{ text: "as written", times: 2 }]);
  const answer = agent.state.messages[1] as AssistantMessage;
  expect(answer.content).toMatchObject([{ arguments: { text: "as written", times: "2" } }]);
  expect(events.find(({ type }) => type === "tool_execution_start")).toMatchObject({ args: { text: "as written", times: "2" } });
});

test("AG-008 calls of an answer that failed are not run, and the run ends", async () => {
  const { agent, events } = createScriptedAgent(
    [{ toolCalls: [{ name: "echo", arguments: { text: "x" } }], error: { status: 500, message: "boom" } }],
    { tools: [createEchoTool()] },
  );
  await agent.prompt("Go");
  expect(outline(events).slice(-3)).toEqual(["assistant: echo() [error]", "turn_end", "agent_end"]);
});

test("AG-009 an abort while tools run gives every call one result and no further model call", async () => {
  const tool = createEchoTool({
    async execute(_id, _params, signal) {
      agent.abort();
      signal.throwIfAborted();
      return { content: [], details: null };
    },
  });
  let modelCalls = 0;
  const { agent, events } = createScriptedAgent(
    () => {
      modelCalls += 1;
      return {
        toolCalls: [
          { name: "echo", arguments: { text: "a" } },
          { name: "echo", arguments: { text: "b" } },
        ],
      };
    },
    { tools: [tool] },
  );
  await agent.prompt("Go");
  expect(modelCalls).toBe(1);
  expect(outline(events).slice(-12)).toEqual([
    "tool_execution_start echo",
    "tool_execution_end echo (error)",
    "tool_execution_start echo",
    "tool_execution_end echo (error)",
    "toolResult: The run was aborted.",
    "toolResult: Not started: the run was aborted.",
    "turn_end",
    "turn_start",
    "  error",
    "assistant:  [aborted]",
    "turn_end",
    "agent_end",
  ]);
  const { id, provider, api } = agent.state.model as Model;
  const note = { stopReason: "aborted", errorMessage: "The run was aborted.", content: [], model: id, provider, api };
  expect(agent.state.messages.at(-1)).toMatchObject(note);
  expect(events.at(-1)).toMatchObject({ type: "agent_end", messages: agent.state.messages });
});

test("AG-010 a tool that ignores its signal is left behind, and its late result and updates are discarded", async () => {
  const late = Promise.withResolvers<void>();
  let update: (() => void) | undefined;
  const tool = createEchoTool({
    async execute(_id, _params, _signal, onUpdate) {
      update = () => onUpdate({ content: [], details: null });
      agent.abort();
      await late.promise;
      return { content: [{ type: "text", text: "too late" }], details: null };
    },
  });
  const { agent, events } = createScriptedAgent([{ toolCalls: [{ name: "echo", arguments: { text: "a" } }] }], { tools: [tool] });
  await agent.prompt("Go");
  const told = events.length;
  update?.();
  late.resolve();
  await late.promise;
  expect(events).toHaveLength(told);
  expect(outline(events).slice(-8)).toEqual([
    "tool_execution_end echo (error)",
    "toolResult: Aborted: the tool did not stop in time and was left behind.",
    "turn_end",
    ...["turn_start", "  error", "assistant:  [aborted]", "turn_end"],
    "agent_end",
  ]);
});

test("AG-020 an exception in a hook ends the run with an error message and a complete sequence", async () => {
  const { agent, events } = createScriptedAgent([{ text: "never asked" }], {
    toModelMessages: () => {
      throw new Error("cannot convert");
    },
  });
  await agent.prompt("Go");
  expect(outline(events)).toEqual([
    "agent_start",
    "turn_start",
    "user: Go",
    "  error",
    "assistant:  [error]",
    "turn_end",
    "agent_end",
  ]);
  expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "error", errorMessage: "cannot convert", provider: "script" });
  expect(agent.isRunning).toBe(false);
});

test("AG-023 an empty answer ends the run", async () => {
  const { agent, events } = createScriptedAgent([{}]);
  await agent.prompt("Go");
  expect(outline(events).slice(-3)).toEqual(["assistant:  [stop]", "turn_end", "agent_end"]);
});
