import { AiError, type Context, type Model, registerApi } from "@pikit/ai";
import { expect, test } from "vitest";
import { Agent, type AgentEvent } from "../src/index.ts";
import { createEchoTool, createScriptedAgent, outline } from "./helpers/scripted-agent.ts";

/** A provider that opens with a complete call and then ends as the test says; its later answers are good. */
function createDyingModel(api: string, die: () => Promise<void> | void) {
  const contexts: Context[] = [];
  registerApi(api, async () => async ({ context }, assembler) => {
    contexts.push(structuredClone({ messages: context.messages }));
    if (contexts.length > 1) return assembler.done("stop");
    const call = assembler.openToolCall({ id: "1", name: "echo" });
    call.append('{"text":"x"}');
    call.end();
    return die();
  });
  return { model: { id: "m", provider: "p", api } as Model, contexts };
}

const deaths = [
  { how: "whose connection is lost", die: () => Promise.reject(new AiError("network", "The socket was closed.")) },
  { how: "that ends without its last event", die: () => undefined },
];

test.each(deaths)("ER-026 complete tool calls of a stream $how are not run, and not sent again", async ({ how, die }) => {
  let executions = 0;
  const tool = createEchoTool({
    async execute() {
      executions += 1;
      return { content: [], details: null };
    },
  });
  const { model, contexts } = createDyingModel(how, die);
  const events: AgentEvent[] = [];
  const agent = new Agent({ model, tools: [tool], shouldRetry: ({ failure }) => failure?.retryable ?? false });
  agent.subscribe((event) => void events.push(event));
  await agent.prompt("Go");
  expect(executions).toBe(0);
  expect(outline(events).filter((line) => !line.startsWith("  "))).toEqual([
    "agent_start",
    "turn_start",
    "user: Go",
    "assistant: echo() [error]",
    "turn_end",
    "turn_start",
    "assistant:  [stop]",
    "turn_end",
    "agent_end",
  ]);
  expect(contexts).toHaveLength(2);
});

test("AG-011 a listener of agent_start can abort the run that it is told of", async () => {
  let asked = 0;
  const { agent, events } = createScriptedAgent(() => {
    asked += 1;
    return { text: "never asked" };
  });
  agent.subscribe((event) => {
    if (event.type === "agent_start") agent.abort();
  });
  await agent.prompt("Go");
  expect(asked).toBe(0);
  expect(outline(events)).toEqual([
    "agent_start",
    "turn_start",
    "user: Go",
    "  error",
    "assistant:  [aborted]",
    "turn_end",
    "agent_end",
  ]);
});

test("AG-012 a prompt by a listener of agent_start is refused", async () => {
  const { agent } = createScriptedAgent([{ text: "one" }]);
  const refusals: Promise<unknown>[] = [];
  agent.subscribe((event) => {
    if (event.type === "agent_start") refusals.push(agent.prompt("Too soon").catch((error: unknown) => error));
  });
  await agent.prompt("Go");
  expect(await Promise.all(refusals)).toMatchObject([{ code: "busy" }]);
  expect(agent.state.messages).toHaveLength(2);
});

test.each(["turn_end", "agent_end"] as const)(
  "AG-016 an abort at %s, after a complete answer, leaves queued messages queued",
  async (moment) => {
    const { agent, events } = createScriptedAgent([{ text: "complete" }]);
    agent.subscribe((event) => {
      if (event.type !== moment) return;
      agent.followUp({ role: "user", content: "later", timestamp: 0 });
      agent.abort();
    });
    await agent.prompt("Go");
    expect(agent.followUps.length).toBe(1);
    expect(agent.state.messages).toHaveLength(2);
    expect(outline(events).at(-1)).toBe("agent_end");
  },
);

test("AG-009 an abort during the wait before a retry ends the run as aborted, not with the failure", async () => {
  const { agent, events } = createScriptedAgent([{ error: { status: 529, message: "busy" } }], {
    shouldRetry: () => {
      agent.abort();
      return true;
    },
  });
  await agent.prompt("Go");
  expect(outline(events).slice(-7)).toEqual([
    ...["assistant:  [error]", "turn_end", "turn_start", "  error", "assistant:  [aborted]", "turn_end", "agent_end"],
  ]);
});

test("AG-009 an abort while the hook between two turns works says so; one after the last answer changes nothing", async () => {
  const script = [{ toolCalls: [{ name: "echo", arguments: { text: "x" } }] }, { text: "done" }];
  const { agent } = createScriptedAgent(script, {
    tools: [createEchoTool()],
    betweenTurns: () => {
      agent.abort();
      return undefined;
    },
  });
  const endings = () => agent.state.messages.flatMap((message) => (message.role === "assistant" ? [message.stopReason] : []));
  await agent.prompt("Go");
  expect(endings()).toEqual(["toolUse", "aborted"]);
  await agent.prompt("Again");
  expect(endings()).toEqual(["toolUse", "aborted", "stop"]);
});

test("AG-009 after an abort nobody is asked about calls that will not be started", async () => {
  const asked: string[] = [];
  const { agent } = createScriptedAgent(
    [{ toolCalls: ["1", "2", "3"].map((id) => ({ id, name: "echo", arguments: { text: id } })) }],
    {
      tools: [createEchoTool()],
      beforeToolCall({ toolCall }) {
        asked.push(toolCall.id);
        agent.abort();
        return undefined;
      },
    },
  );
  await agent.prompt("Go");
  expect(asked).toEqual(["1"]);
  const texts = agent.state.messages.flatMap((message) => (message.role === "toolResult" ? message.content : []));
  expect(texts).toEqual(Array(3).fill({ type: "text", text: "Not started: the run was aborted." }));
});

test.concurrent.each(["requestOptions", "toModelMessages", "shouldRetry", "betweenTurns"] as const)(
  "AG-020 a %s hook that never answers cannot hold an aborted run",
  async (hook) => {
    const { agent, events } = createScriptedAgent([hook === "shouldRetry" ? { error: { message: "lost" } } : { text: "x" }], {
      [hook]: () => {
        agent.abort();
        return new Promise(() => {});
      },
    });
    await agent.prompt("Go");
    expect(agent.state.messages.at(-1)).toMatchObject({
      stopReason: "aborted",
      errorMessage: "Aborted: a hook did not stop in time and was left behind.",
    });
    expect(outline(events).slice(-2)).toEqual(["turn_end", "agent_end"]);
  },
);

test("AG-014 a run that betweenTurns stops after its final answer leaves follow-ups queued", async () => {
  const { agent, events } = createScriptedAgent([{ text: "final" }], { betweenTurns: () => "stop" });
  agent.followUp({ role: "user", content: "later", timestamp: 0 });
  await agent.prompt("Go");
  expect(agent.followUps.length).toBe(1);
  expect(outline(events).filter((line) => line === "agent_end")).toHaveLength(1);
});
