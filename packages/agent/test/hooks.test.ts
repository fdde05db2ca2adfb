import { type Model, registerApi } from "@pikit/ai";
import { expect, test } from "vitest";
import { Agent } from "../src/index.ts";
import { createEchoTool, createScriptedAgent, outline } from "./helpers/scripted-agent.ts";

const oneCall = [{ toolCalls: [{ name: "echo", arguments: { text: "hi" } }] }, { text: "ok" }];

test("AG-005 a hook can refuse a call, and the model is told why", async () => {
  const { agent, events } = createScriptedAgent(oneCall, {
    tools: [createEchoTool()],
    beforeToolCall: ({ toolCall }) => ({ refuse: `The user does not want ${toolCall.name}.` }),
  });
  await agent.prompt("Go");
  expect(outline(events)).toContain("toolResult: The user does not want echo.");
  expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
});

test("hooks can change the parameters and the result", async () => {
  const { agent } = createScriptedAgent(oneCall, {
    tools: [createEchoTool()],
    beforeToolCall: () => ({ params: { text: "changed" } }),
    afterToolCall: (_call, { result }) => ({
      result: { ...result, content: [...result.content, { type: "text", text: "and seen" }] },
      isError: false,
    }),
  });
  await agent.prompt("Go");
  expect(agent.state.messages[2]).toMatchObject({ content: [{ text: "changed" }, { text: "and seen" }] });
});

test.each(["beforeToolCall", "afterToolCall"] as const)(
  "AG-005 a throwing %s hook becomes the call's error result",
  async (hook) => {
    const { agent } = createScriptedAgent(oneCall, {
      tools: [createEchoTool()],
      [hook]: () => {
        throw new Error("the hook is broken");
      },
    });
    await agent.prompt("Go");
    expect(agent.state.messages[2]).toMatchObject({ isError: true, content: [{ text: "the hook is broken" }] });
    expect(agent.state.messages[3]).toMatchObject({ stopReason: "stop" });
  },
);

test("AG-010 a hook that never answers cannot hold an aborted run", async () => {
  const { agent, events } = createScriptedAgent(oneCall, {
    tools: [createEchoTool()],
    beforeToolCall: () => {
      agent.abort();
      return new Promise(() => {});
    },
  });
  await agent.prompt("Go");
  expect(outline(events).slice(-7)).toEqual([
    "toolResult: Aborted: the tool did not stop in time and was left behind.",
    ...["turn_end", "turn_start", "  error", "assistant:  [aborted]", "turn_end", "agent_end"],
  ]);
});

test("AG-020 what fails between turns ends the run with an error message", async () => {
  const { agent, events } = createScriptedAgent(oneCall, {
    tools: [createEchoTool()],
    betweenTurns: () => Promise.reject(new Error("no room")),
  });
  await agent.prompt("Go");
  expect(outline(events).slice(-6)).toEqual(["turn_end", "turn_start", "  error", "assistant:  [error]", "turn_end", "agent_end"]);
  expect(agent.state.messages.at(-1)).toMatchObject({ errorMessage: "no room" });
});

test("a failed answer is asked for again while the owner says so, and every attempt is a turn", async () => {
  const failures: unknown[] = [];
  const error = { status: 529, message: "busy" };
  const { agent, events } = createScriptedAgent([{ error }, { error }, { text: "ok" }], {
    shouldRetry: ({ failure }) => {
      failures.push(failure?.code);
      return true;
    },
  });
  await agent.prompt("Go");
  expect(failures).toEqual(["overloaded", "overloaded"]);
  expect(outline(events).filter((line) => !line.startsWith("  "))).toEqual([
    "agent_start",
    "turn_start",
    "user: Go",
    "assistant:  [error]",
    "turn_end",
    "turn_start",
    "assistant:  [error]",
    "turn_end",
    "turn_start",
    "assistant: ok [stop]",
    "turn_end",
    "agent_end",
  ]);
});

test("AG-008 calls of an answer that ended with stop are run all the same", async () => {
  let calls = 0;
  registerApi("stops-with-calls", async () => async (_request, assembler) => {
    calls += 1;
    if (calls === 1) {
      const call = assembler.openToolCall({ id: "1", name: "echo" });
      call.append('{"text":"x"}');
      call.end();
    }
    assembler.done("stop");
  });
  const model = { id: "m", provider: "p", api: "stops-with-calls" } as Model;
  const ran: unknown[] = [];
  const tool = createEchoTool({
    async execute(_id, params) {
      ran.push(structuredClone(params));
      return { content: [], details: null };
    },
  });
  const { agent, events } = createScriptedAgent([], { model, tools: [tool] });
  await agent.prompt("Go");
  expect(ran).toEqual([{ text: "x" }]);
  expect(calls).toBe(2);
  expect(events.filter(({ type }) => type === "turn_end")).toHaveLength(2);
});

test("AG-007 calls of an answer that was cut off are not run, and the model is told", async () => {
  let calls = 0;
  registerApi("cut-off", async () => async (_request, assembler) => {
    calls += 1;
    if (calls > 1) return assembler.done("stop");
    const call = assembler.openToolCall({ id: "1", name: "echo" });
    call.append('{"text":"x"}');
    call.end();
    assembler.done("length");
  });
  const model = { id: "m", provider: "p", api: "cut-off" } as Model;
  const ran: string[] = [];
  const tool = createEchoTool({
    async execute() {
      ran.push("ran");
      return { content: [], details: null };
    },
  });
  const agent = new Agent({ model, tools: [tool] });
  await agent.prompt("Go");
  expect(ran).toEqual([]);
  expect(agent.state.messages[2]).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("output limit") }] });
  expect(calls).toBe(2);
});

test("a tool that returns no content gives an error result", async () => {
  const { agent } = createScriptedAgent(oneCall, {
    tools: [createEchoTool({ execute: (async () => undefined) as never })],
  });
  await agent.prompt("Go");
  expect(agent.state.messages[2]).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("returned no content") }],
  });
});

test("betweenTurns can end the run: nothing queued is taken and the model is not asked again", async () => {
  const { agent, events } = createScriptedAgent(oneCall, { tools: [createEchoTool()], betweenTurns: () => "stop" });
  agent.followUp({ role: "user", content: "later", timestamp: 0 });
  await agent.prompt("Go");
  expect(outline(events).slice(-3)).toEqual(["toolResult: hi", "turn_end", "agent_end"]);
  expect(agent.followUps.length).toBe(1);
});
