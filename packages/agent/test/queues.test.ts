import { expect, test } from "vitest";
import type { Agent, AgentMessage } from "../src/index.ts";
import { createEchoTool, createScriptedAgent, outline } from "./helpers/scripted-agent.ts";

const user = (content: string): AgentMessage => ({ role: "user", content, timestamp: 0 });

/** What the model was sent in each call, as texts. */
function recordContexts() {
  const contexts: string[][] = [];
  const record = (messages: readonly { role: string; content: unknown }[]) => {
    contexts.push(messages.map(({ role, content }) => (typeof content === "string" ? content : role)));
  };
  return { contexts, record };
}

function queueDuringTool(queue: (agent: Agent) => void, overrides: { interruptMode?: "immediate" } = {}) {
  const { contexts, record } = recordContexts();
  const tool = createEchoTool({
    executionMode: "parallel",
    async execute(_id, params) {
      const { text } = params as { text: string };
      if (text === "first") queue(scripted.agent);
      return { content: [{ type: "text", text }], details: null };
    },
  });
  const scripted = createScriptedAgent(
    (context, call) => {
      record(context.messages);
      if (call > 0) return { text: `answer ${call}` };
      const calls = ["first", "second"].map((text) => ({ name: "echo", arguments: { text } }));
      return { toolCalls: calls };
    },
    { tools: [tool], ...overrides },
  );
  return { ...scripted, contexts };
}

test("AG-013 steering goes in after the tool batch and before the next model call", async () => {
  const { agent, contexts } = queueDuringTool((agent) => agent.steer(user("look here")));
  await agent.prompt("Go");
  expect(contexts).toEqual([["Go"], ["Go", "assistant", "toolResult", "toolResult", "look here"]]);
});

test("AG-013 in immediate mode calls that have not started are skipped with a result that says so", async () => {
  const { agent, events, contexts } = queueDuringTool((agent) => agent.steer(user("stop that")), { interruptMode: "immediate" });
  await agent.prompt("Go");
  const results = events.flatMap((event) => (event.type === "tool_execution_end" ? [event] : []));
  expect(results.map(({ isError }) => isError)).toEqual([false, true]);
  expect(results[1]?.result.content[0]).toMatchObject({ text: expect.stringContaining("Skipped: the user sent a message") });
  expect(contexts[1]).toEqual(["Go", "assistant", "toolResult", "toolResult", "stop that"]);
});

test("AG-014 follow-ups go in only when the run would end, in the same run", async () => {
  const { agent, contexts, events } = queueDuringTool((agent) => agent.followUp(user("and then")));
  await agent.prompt("Go");
  expect(contexts.slice(1)).toEqual([
    ["Go", "assistant", "toolResult", "toolResult"],
    ["Go", "assistant", "toolResult", "toolResult", "assistant", "and then"],
  ]);
  expect(outline(events).filter((line) => line.startsWith("agent_"))).toEqual(["agent_start", "agent_end"]);
});

test("AG-014 steering that arrives during the final answer starts another turn without an agent_end between", async () => {
  const { agent, events } = createScriptedAgent([{ text: "almost done" }, { text: "really done" }]);
  const unsubscribe = agent.subscribe((event) => {
    if (event.type !== "message_update" || event.assistantMessageEvent.type !== "text_delta") return;
    agent.steer(user("one more thing"));
    unsubscribe();
  });
  await agent.prompt("Go");
  expect(outline(events).filter((line) => !line.startsWith("  "))).toEqual([
    "agent_start",
    "turn_start",
    "user: Go",
    "assistant: almost done [stop]",
    "turn_end",
    "turn_start",
    "user: one more thing",
    "assistant: really done [stop]",
    "turn_end",
    "agent_end",
  ]);
});

test.each([
  { mode: "one-at-a-time" as const, expected: [["Go"], ["Go", "assistant", "a"], ["Go", "assistant", "a", "assistant", "b"]] },
  { mode: "all" as const, expected: [["Go"], ["Go", "assistant", "a", "b"]] },
])("AG-015 mode $mode; messages queued while idle follow the next prompt", async ({ mode, expected }) => {
  const { contexts, record } = recordContexts();
  const { agent } = createScriptedAgent(
    (context) => {
      record(context.messages);
      return { text: "ok" };
    },
    { followUpMode: mode },
  );
  agent.followUp(user("a"));
  agent.followUp(user("b"));
  expect(agent.isRunning).toBe(false);
  await agent.prompt("Go");
  expect(contexts).toEqual(expected);
});

test.each(["one-at-a-time", "all"] as const)(
  "AG-015 steering that waits while idle goes in front of the next prompt and costs no model call of its own, also %s",
  async (steeringMode) => {
    const { contexts, record } = recordContexts();
    const { agent, events } = createScriptedAgent(
      (context) => {
        record(context.messages);
        return { text: "ok" };
      },
      { steeringMode },
    );
    for (const text of ["a", "b", "c"]) agent.steer(user(text));
    await agent.prompt("Go");
    expect(contexts).toEqual([["a", "b", "c", "Go"]]);
    expect(outline(events).slice(0, 6)).toEqual(["agent_start", "turn_start", "user: a", "user: b", "user: c", "user: Go"]);
    expect(events.at(-1)).toMatchObject({ type: "agent_end", messages: agent.state.messages });
    agent.steer(user("d"));
    await agent.run([user("as it is")]);
    expect(contexts.slice(1).map((texts) => texts.slice(5))).toEqual([["as it is"], ["as it is", "assistant", "d"]]);
  },
);

test("AG-015 steering queued during long work between turns is picked up, one at a time", async () => {
  const { contexts, record } = recordContexts();
  const { agent } = createScriptedAgent(
    (context, call) => {
      record(context.messages);
      return call === 0 ? { toolCalls: [{ name: "echo", arguments: { text: "x" } }] } : { text: "ok" };
    },
    {
      tools: [createEchoTool()],
      async betweenTurns() {
        if (contexts.length > 1) return undefined;
        await new Promise((resolve) => setImmediate(resolve));
        agent.steer(user("a"));
        agent.steer(user("b"));
        return undefined;
      },
    },
  );
  await agent.prompt("Go");
  expect(contexts).toEqual([
    ["Go"],
    ["Go", "assistant", "toolResult", "a"],
    ["Go", "assistant", "toolResult", "a", "assistant", "b"],
  ]);
});

test("AG-016 an abort leaves queued messages queued and out of the history", async () => {
  const { agent } = createScriptedAgent([{ text: "a b c", delayMs: 1 }, { text: "later" }]);
  const unsubscribe = agent.subscribe((event) => {
    if (event.type !== "message_update" || event.assistantMessageEvent.type !== "text_delta") return;
    if (agent.steering.length === 0) agent.steer(user("queued"));
    agent.abort();
  });
  await agent.prompt("Go");
  expect(agent.state.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(agent.steering.messages).toEqual([user("queued")]);
  unsubscribe();
  await agent.continue();
  expect(agent.state.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
});

test("AG-017 continue asks again after a user message, runs the queue after an answer, and else throws", async () => {
  const { agent } = createScriptedAgent([{ text: "one" }, { text: "two" }, { text: "three" }], { messages: [user("unanswered")] });
  await agent.continue();
  expect(agent.state.messages).toHaveLength(2);
  agent.followUp(user("follow"));
  agent.steer(user("steer"));
  await agent.continue();
  const texts = agent.state.messages.flatMap((message) => (message.role === "user" ? [message.content] : []));
  expect(texts).toEqual(["unanswered", "steer", "follow"]);
  await expect(agent.continue()).rejects.toMatchObject({ code: "nothing_to_continue" });
  await expect(createScriptedAgent([]).agent.continue()).rejects.toMatchObject({ code: "nothing_to_continue" });
});

test("AG-018 what a listener of agent_end queues is processed before the agent is idle", async () => {
  const { agent, events } = createScriptedAgent([{ text: "one" }, { text: "two" }]);
  const unsubscribe = agent.subscribe((event) => {
    if (event.type !== "agent_end") return;
    agent.followUp(user("from the listener"));
    unsubscribe();
  });
  await agent.prompt("Go");
  expect(agent.isRunning).toBe(false);
  expect(agent.state.messages.at(-1)).toMatchObject({ content: [{ text: "two" }] });
  expect(events.filter(({ type }) => type === "agent_end")).toHaveLength(2);
});

test("AG-012 reset during a run is refused", async () => {
  const { agent } = createScriptedAgent([{ text: "a b", delayMs: 1 }]);
  const run = agent.prompt("Go");
  expect(() => agent.reset()).toThrow(expect.objectContaining({ code: "busy" }));
  await run;
  agent.reset();
  expect(agent.state.messages).toEqual([]);
});
