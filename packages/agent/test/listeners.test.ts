import { expect, test } from "vitest";
import type { AgentEvent } from "../src/index.ts";
import { createEchoTool, createScriptedAgent } from "./helpers/scripted-agent.ts";

test("AG-019, AG-003 a slow listener does not let events of side by side tools overtake each other", async () => {
  const tool = createEchoTool({
    executionMode: "parallel",
    async execute(id, _params, _signal, onUpdate) {
      onUpdate({ content: [], details: 1 });
      onUpdate({ content: [], details: 2 });
      return { content: [{ type: "text", text: id }], details: null };
    },
  });
  const calls = ["1", "2"].map((id) => ({ id, name: "echo", arguments: { text: id } }));
  const { agent, events } = createScriptedAgent([{ toolCalls: calls }, { text: "ok" }], { tools: [tool] });
  let turns = 9;
  agent.subscribe(async () => {
    // Later events are answered sooner, so that they would overtake the earlier ones.
    for (let turn = turns; turn > 0; turn -= 1) await new Promise((resolve) => setImmediate(resolve));
    turns = Math.max(0, turns - 1);
  });
  const last: AgentEvent[] = [];
  agent.subscribe((event) => void last.push(event));
  await agent.prompt("Go");
  expect(last).toEqual(events);
});

test("AG-019 a listener may end its own and others' subscription while an event is being told", async () => {
  const { agent } = createScriptedAgent([{ text: "x" }]);
  const log: string[] = [];
  const endFirst = agent.subscribe(({ type }) => {
    log.push(`first ${type}`);
    endFirst();
    endSecond();
  });
  const endSecond = agent.subscribe(({ type }) => void log.push(`second ${type}`));
  await agent.prompt("Go");
  expect(log).toEqual(["first agent_start", "second agent_start"]);
});
