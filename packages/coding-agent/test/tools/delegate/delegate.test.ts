import { type AgentToolResult, ToolError } from "@pikit/agent";
import { emptyUsage } from "@pikit/ai";
import { holdClock } from "@pikit/test-kit/clock";
import { describe, expect, test } from "vitest";
import { createDelegateTool } from "../../../src/tools/delegate/definition.ts";
import type { DelegateDetails, DelegationEvent } from "../../../src/tools/delegate/run.ts";
import type { RunTask, TaskOutcome } from "../../../src/tools/delegate/task.ts";
import { runTool, textOf } from "../run-tool.ts";

const usage = { ...emptyUsage(), totalTokens: 12345, cost: { ...emptyUsage().cost, total: 0.01234 } };
const counts = { tools: ["read"], turns: 2, toolCalls: 1, usage };
const costLine = "[Sub-task: 2 turns, 1 tool call, 12,345 tokens, $0.0123]";

/** The tool over a task that ends like this, with everything that an observer is told. */
function createTool(outcome: Partial<TaskOutcome> | Error, during: (...task: Parameters<RunTask>) => void = () => {}) {
  const events: (DelegationEvent & { id: string })[] = [];
  const tool = createDelegateTool({
    async runTask(task) {
      during(task);
      if (outcome instanceof Error) throw outcome;
      return { text: "Found.", failure: undefined, ...counts, ...outcome };
    },
    onDelegation: (id, event) => void events.push({ id, ...event }),
  });
  return { tool, events };
}

test("the result is the final text and what it cost; an observer is told of every step", async () => {
  holdClock();
  const updates: AgentToolResult<DelegateDetails>[] = [];
  const { tool, events } = createTool({ text: " Found.\n" }, ({ task, tools, onProgress }) => {
    expect([task, tools]).toEqual(["Find it", ["read"]]);
    onProgress({ status: "read: a.txt", ...counts });
    onProgress({ status: "Found.", ...counts });
  });
  const result = await runTool(tool, { task: "Find it", tools: ["read"] }, { onUpdate: (update) => updates.push(update) });
  expect(textOf(result)).toBe(`Found.\n\n${costLine}`);
  expect(result.details).toEqual({ task: "Find it", ...counts, steps: ["read: a.txt", "Found."] });
  // The second step came within the interval of updates.
  expect(updates).toEqual([
    { content: [{ type: "text", text: "read: a.txt" }], details: { task: "Find it", ...counts, steps: ["read: a.txt"] } },
  ]);
  expect(events).toEqual([
    { id: "call_1", type: "started", description: "Find it" },
    { id: "call_1", type: "progress", status: "read: a.txt" },
    { id: "call_1", type: "progress", status: "Found." },
    { id: "call_1", type: "finished", summary: " Found.\n" },
  ]);
});

describe("a sub-task that is not done", () => {
  test("is an error with the reason, its last words and its cost, in text and details", async () => {
    const { tool, events } = createTool({
      text: "I was at it",
      failure: { code: "limit", reason: "it was ended at its limit max-turns" },
    });
    const failing = runTool(tool, { task: "Find it" });
    const message = `The sub-task failed: it was ended at its limit max-turns. Its last text:\nI was at it\n\n${costLine}`;
    await expect(failing).rejects.toMatchObject({ code: "limit", message, details: { usage, task: "Find it" } });
    expect(events.map(({ type }) => type)).toEqual(["started", "failed"]);
    expect(events[1]).toEqual({ id: "call_1", type: "failed", message });
  });

  test("or never began is the error that it threw", async () => {
    const { tool, events } = createTool(new ToolError("too_deep", "Sub-tasks go no deeper."));
    await expect(runTool(tool, { task: "x" })).rejects.toMatchObject({ code: "too_deep", message: "Sub-tasks go no deeper." });
    expect(events.map(({ type }) => type)).toEqual(["started", "failed"]);
  });

  test("without a word says so", async () => {
    const { tool } = createTool({ text: "", failure: { code: "aborted", reason: "it was aborted" } });
    await expect(runTool(tool, { task: "x" })).rejects.toThrow("The sub-task failed: it was aborted. It returned no text.");
    expect(textOf(await runTool(createTool({ text: "" }).tool, { task: "x" }))).toContain("(The sub-task returned no text.)");
  });
});

test("a long answer is cut with a note, and only the last steps are shown", async () => {
  const { tool } = createTool({ text: "line\n".repeat(5000) }, ({ onProgress }) => {
    for (let step = 1; step <= 50; step += 1) onProgress({ status: `step ${step}`, ...counts });
  });
  const result = await runTool(tool, { task: "x" });
  expect(textOf(result)).toContain("line\n[The answer was cut at 2000 lines.]");
  expect(result.details.steps).toHaveLength(20);
  expect(result.details.steps.at(-1)).toBe("step 50");
});

test("AG-004 several sub-tasks run side by side", () => {
  expect(createTool({}).tool.executionMode).toBe("parallel");
});
