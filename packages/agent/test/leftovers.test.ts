import { execFile } from "node:child_process";
import { getEventListeners } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createScriptedModel } from "@pikit/ai";
import { expect, test } from "vitest";
import { Agent } from "../src/index.ts";
import { createEchoTool } from "./helpers/scripted-agent.ts";

test("AG-025 1,000 runs, answered, aborted and failed, leave no listener and no timer", async () => {
  const signals = new Set<AbortSignal>();
  const keep = (signal: AbortSignal | undefined) => signal && signals.add(signal);
  const tool = createEchoTool({
    executionMode: "parallel",
    async execute(id, _params, signal) {
      keep(signal);
      if (id.startsWith("abort")) agent.abort();
      return { content: [], details: null };
    },
  });
  const agent = new Agent({
    model: createScriptedModel({
      script(context, _index, signal) {
        keep(signal);
        const last = context.messages.at(-1);
        if (last?.role !== "user") return { text: "Done" };
        if (last.content === "fail") return { text: "Some", error: { status: 529, message: "busy" } };
        const calls = [1, 2].map((n) => ({ id: `${last.content}-${n}`, name: "echo", arguments: { text: "x" } }));
        return { toolCalls: calls };
      },
    }),
    tools: [tool],
    shouldRetry: (_failed, signal) => keep(signal) === undefined,
    betweenTurns: (_turn, signal) => void keep(signal),
    beforeToolCall: (_call, signal) => void keep(signal),
  });
  const timersBefore = countTimers();
  for (let run = 0; run < 1000; run += 1) {
    agent.state.messages = [];
    await agent.prompt(["go", "abort", "fail"][run % 3] ?? "");
  }
  const listeners = [...signals].reduce((sum, signal) => sum + getEventListeners(signal, "abort").length, 0);
  expect({ signals: signals.size, listeners, timers: Math.max(0, countTimers() - timersBefore) }).toEqual({
    signals: 1000,
    listeners: 0,
    timers: 0,
  });
});

test("AG-025 a program ends by itself after its last run", async () => {
  const program = fileURLToPath(new URL("fixtures/some-runs.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=pikit-source", program]);
  expect(JSON.parse(stdout)).toEqual({ endings: ["toolUse", "stop", "toolUse", "aborted", "error"], resources: [] });
});

function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}
