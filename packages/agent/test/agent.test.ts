import { createScriptedModel } from "@pikit/ai";
import { expect, test } from "vitest";
import { Agent } from "../src/index.ts";
import { createEchoTool, createScriptedAgent, outline } from "./helpers/scripted-agent.ts";

test("AG-011 abort is a no-op when idle, may be repeated, and a new prompt works at once", async () => {
  const { agent, events } = createScriptedAgent([{ text: "one two three", delayMs: 1 }, { text: "again" }]);
  agent.abort();
  const unsubscribe = agent.subscribe((event) => {
    if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") {
      agent.abort();
      agent.abort();
    }
  });
  await agent.prompt("Go");
  expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "aborted", content: [{ text: "one " }] });
  expect(outline(events).slice(-3)).toEqual(["assistant: one  [aborted]", "turn_end", "agent_end"]);
  unsubscribe();
  await agent.prompt("Once more");
  expect(outline(events).slice(-3)).toEqual(["assistant: again [stop]", "turn_end", "agent_end"]);
});

test("AG-012 a prompt during a run is refused and changes nothing", async () => {
  const { agent } = createScriptedAgent([{ text: "a b c", delayMs: 1 }]);
  const run = agent.prompt("Go");
  await expect(agent.prompt("Too soon")).rejects.toMatchObject({ code: "busy" });
  await run;
  expect(agent.state.messages).toHaveLength(2);
});

test("a prompt without a model is refused", async () => {
  await expect(new Agent({}).prompt("Go")).rejects.toMatchObject({ code: "no_model" });
});

test("AG-018 prompt resolves and the agent is idle only when listeners of the last event have finished", async () => {
  const { agent } = createScriptedAgent([{ text: "x" }]);
  let finished = false;
  agent.subscribe(async (event) => {
    if (event.type !== "agent_end") return;
    await new Promise((resolve) => setImmediate(resolve));
    finished = true;
  });
  const idle: boolean[] = [];
  const run = agent.prompt("Go");
  const waited = agent.waitForIdle().then(() => idle.push(finished));
  await run;
  await waited;
  expect([finished, agent.isRunning, ...idle]).toEqual([true, false, true]);
});

test("AG-019 listeners are awaited in order, and one that throws disturbs nobody", async () => {
  const failures: string[] = [];
  const log: string[] = [];
  const { agent } = createScriptedAgent([{ text: "x" }], {
    onListenerError: (error, event) => failures.push(`${event.type}: ${(error as Error).message}`),
  });
  agent.subscribe(async (event) => {
    if (event.type !== "turn_start") return;
    await new Promise((resolve) => setImmediate(resolve));
    log.push("first");
  });
  agent.subscribe((event) => {
    if (event.type === "turn_start") throw new Error("sync");
  });
  agent.subscribe(async (event) => {
    if (event.type === "turn_end") throw new Error("async");
  });
  const unsubscribe = agent.subscribe((event) => {
    if (event.type !== "turn_start") return;
    log.push("last");
    unsubscribe();
  });
  await agent.prompt("Go");
  expect(log).toEqual(["first", "last"]);
  expect(failures).toEqual(["turn_start: sync", "turn_end: async"]);
  expect(agent.state.messages).toHaveLength(2);
});

test("AG-021 a model changed during a run answers from the next request on", async () => {
  const second = createScriptedModel({ id: "second", script: [{ text: "from the second" }] });
  const { agent } = createScriptedAgent([{ toolCalls: [{ name: "echo", arguments: { text: "x" } }] }], {
    tools: [
      createEchoTool({
        async execute() {
          agent.state.model = second;
          return { content: [], details: null };
        },
      }),
    ],
  });
  await agent.prompt("Go");
  expect(agent.state.messages.at(-1)).toMatchObject({ model: "second", content: [{ text: "from the second" }] });
});

test("AG-024 images given to prompt reach the model", async () => {
  const seen: unknown[] = [];
  const { agent } = createScriptedAgent((context) => {
    seen.push(context.messages[0]?.content);
    return { text: "seen" };
  });
  const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
  await agent.prompt("Look", [image]);
  expect(seen).toEqual([[{ type: "text", text: "Look" }, image]]);
});
