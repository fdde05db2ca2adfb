import { emptyUsage, type ScriptedAnswer, type Usage } from "@pikit/ai";
import { until } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { createTaskRunner, type TaskRunnerOptions, type TaskSession, type TaskSessionRequest } from "../../src/run/delegation.ts";
import type { RunLimits } from "../../src/run/limits.ts";
import type { AgentSession } from "../../src/session/agent-session.ts";
import { createDelegateTool } from "../../src/tools/delegate/definition.ts";
import type { RunTask } from "../../src/tools/delegate/task.ts";
import { createGate, throughGate } from "../helpers/gate.ts";
import { createTaskSession, type TaskSessionOptions } from "./task-session.ts";

const paid = (answer: ScriptedAnswer, dollars = 1): ScriptedAnswer => ({ ...answer, usage: { input: dollars, output: 0 } });

/** A runner whose sub-sessions are made by `open`, with what it asks for and counts. */
function createRunner(open: (request: TaskSessionRequest) => TaskSessionOptions, overrides: Partial<TaskRunnerOptions> = {}) {
  const requests: TaskSessionRequest[] = [];
  const counted: Usage[] = [];
  const sessions: ReturnType<typeof createTaskSession>[] = [];
  const runTask = createTaskRunner({
    depth: 0,
    toolNames: () => ["read", "gate", "delegate"],
    async openSession(request) {
      requests.push(request);
      const made = createTaskSession({ limits: request.limits, ...open(request) });
      sessions.push(made);
      return made.session;
    },
    remainingLimits: () => ({}),
    countUsage: (usage) => void counted.push(usage),
    ...overrides,
  });
  return { runTask, requests, counted, sessions };
}

function run(runTask: RunTask, options: { tools?: string[]; signal?: AbortSignal; task?: string } = {}) {
  const statuses: string[] = [];
  const outcome = runTask({
    task: options.task ?? "Find it",
    toolCallId: "call-1",
    tools: options.tools,
    signal: options.signal ?? new AbortController().signal,
    onProgress: ({ status, turns, toolCalls, usage }) => statuses.push(`${status} (${turns}, ${toolCalls}, $${usage.cost.total})`),
  });
  return { outcome, statuses };
}

const openGate = () => {
  const gate = createGate();
  gate.open();
  return gate.tool;
};

test("a task is worked on in a session of its own: steps are told, cost is counted as it arises, the last words come back", async () => {
  const script = [paid({ text: "I look.", ...throughGate }), paid({ text: "It is\nhere." }, 2)];
  const { runTask, requests, counted, sessions } = createRunner(() => ({ script, tools: [openGate()] }));
  const { outcome, statuses } = run(runTask);
  expect(await outcome).toEqual({
    text: "It is\nhere.",
    failure: undefined,
    tools: ["read", "gate", "delegate"],
    turns: 2,
    toolCalls: 1,
    usage: { ...emptyUsage(), input: 3, totalTokens: 3, cost: { ...emptyUsage().cost, input: 3, total: 3 } },
  });
  expect(statuses).toEqual(["I look. (1, 0, $1)", "gate (1, 1, $1)", "It is here. (2, 1, $3)"]);
  expect(counted.map(({ cost }) => cost.total)).toEqual([1, 2]);
  expect(requests).toMatchObject([{ tools: ["read", "gate", "delegate"], depth: 1, limits: {} }]);
  expect(sessions[0]?.session.messages[0]).toMatchObject({
    role: "user",
    content: expect.stringMatching(/^Find it\n\n.*last message/),
  });
  expect(sessions[0]?.isDisposed()).toBe(true);
});

describe("tools", () => {
  const answer = () => ({ script: [{ text: "ok" }] });

  test.each<[number, string[] | undefined, readonly string[]]>([
    [0, undefined, ["read", "gate", "delegate"]],
    [0, ["gate", "gate"], ["gate"]],
    [0, [], []],
    [1, undefined, ["read", "gate"]],
  ])("at depth %j with %j: %j", async (depth, tools, expected) => {
    const { runTask, requests } = createRunner(answer, { depth });
    await run(runTask, tools ? { tools } : {}).outcome;
    expect(requests).toMatchObject([{ tools: expected, depth: depth + 1, limits: {} }]);
  });

  test.each<[number, string[], string]>([
    [0, ["read", "bash"], 'A sub-task cannot have the tool "bash". It may have: read, gate, delegate.'],
    [1, ["delegate"], 'A sub-task cannot have the tool "delegate". It may have: read, gate.'],
    [0, ["__proto__"], 'A sub-task cannot have the tool "__proto__"'],
    [2, ["read"], "Sub-tasks cannot be nested deeper. Do this task yourself."],
  ])("at depth %j are never more than the parent's: %j", async (depth, tools, message) => {
    const { runTask, requests } = createRunner(answer, { depth });
    await expect(run(runTask, { tools }).outcome).rejects.toThrow(message);
    expect(requests).toMatchObject([]);
  });
});

describe("a task that is not done", () => {
  test.each<[string, TaskSessionOptions, object]>([
    [
      "a provider that fails",
      { script: [{ text: "I begin", error: { status: 401, message: "bad key" } }] },
      { text: "I begin", failure: { code: "failed", reason: expect.stringContaining("bad key") } },
    ],
    [
      "a limit",
      { script: () => throughGate, tools: [openGate()], limits: { maxTurns: 2 } },
      { turns: 2, failure: { code: "limit", reason: "it was ended at its limit max-turns" } },
    ],
  ])("says why: %s", async (_why, options, expected) => {
    const { runTask, sessions } = createRunner(() => options);
    expect(await run(runTask).outcome).toMatchObject(expected);
    expect(sessions[0]?.isDisposed()).toBe(true);
  });

  test("because the parent was aborted stops at once, with its tools, and is let go of", async () => {
    const gate = createGate();
    const { runTask, sessions } = createRunner(() => ({ script: [{ text: "I wait", ...throughGate }], tools: [gate.tool] }));
    const controller = new AbortController();
    const { outcome } = run(runTask, { signal: controller.signal });
    await gate.reached;
    controller.abort();
    expect(await outcome).toMatchObject({ text: "I wait", failure: { code: "aborted", reason: "it was aborted" } });
    expect(sessions[0]?.isDisposed()).toBe(true);
    expect(sessions[0]?.agent.isRunning).toBe(false);
  });

  test("before it began: no session is left behind", async () => {
    const failing = createRunner(() => {
      throw new Error("no model");
    });
    await expect(run(failing.runTask).outcome).rejects.toMatchObject({
      code: "failed",
      message: "The sub-task could not start: no model",
    });
    const refusing = createRunner(() => ({ script: [] }));
    refusing.sessions.push = (...made) => {
      for (const { session } of made) session.prompt = () => Promise.reject(new Error("No credentials."));
      return Array.prototype.push.apply(refusing.sessions, made);
    };
    await expect(run(refusing.runTask).outcome).rejects.toThrow("The sub-task could not start: No credentials.");
    expect(refusing.sessions[0]?.isDisposed()).toBe(true);
  });
});

describe("money", () => {
  /** A budget that all sub-tasks share. */
  function createBudget(dollars: number) {
    let used = 0;
    return {
      remainingLimits: (): RunLimits => ({ maxCostUsd: Math.max(0, dollars - used) }),
      countUsage: (usage: Usage) => {
        used += usage.cost.total;
      },
      used: () => used,
    };
  }

  test("a sub-task has what the parent has left, and none is begun without", async () => {
    const budget = createBudget(3);
    const { runTask, requests } = createRunner(() => ({ script: () => paid(throughGate), tools: [openGate()] }), budget);
    expect(await run(runTask).outcome).toMatchObject({ turns: 3, failure: { code: "limit" } });
    expect(requests[0]?.limits).toEqual({ maxCostUsd: 3 });
    await expect(run(runTask).outcome).rejects.toMatchObject({ code: "limit" });
    expect(budget.used()).toBe(3);
  });

  test("siblings that run side by side stop together when it is gone", async () => {
    const budget = createBudget(5);
    const { runTask } = createRunner(() => ({ script: () => paid(throughGate), tools: [openGate()] }), budget);
    const outcomes = await Promise.all([run(runTask).outcome, run(runTask).outcome, run(runTask).outcome]);
    expect(outcomes.map(({ failure }) => failure?.code)).toEqual(["limit", "limit", "limit"]);
    expect(budget.used()).toBeLessThanOrEqual(7);
  });

  test("an answer that uses up the rest and is the last one is done", async () => {
    const { runTask } = createRunner(() => ({ script: [paid({ text: "Done" }, 5)] }), createBudget(5));
    expect(await run(runTask).outcome).toMatchObject({ text: "Done", failure: undefined });
  });

  test("what summaries and sub-tasks of the sub-task have used counts, once", async () => {
    const inner = createRunner(() => ({ script: [paid({ text: "inner" }, 4)] }), { depth: 1 });
    const call = { toolCalls: [{ name: "delegate", arguments: { task: "deeper" } }] };
    const outer = createRunner(() => ({
      script: [paid(call), paid({ text: "outer" })],
      tools: [createDelegateTool({ runTask: inner.runTask })],
    }));
    const { outcome } = run(outer.runTask);
    const summary = { ...emptyUsage(), totalTokens: 10, cost: { ...emptyUsage().cost, total: 10 } };
    const details = { readFiles: [], modifiedFiles: [] };
    const result = { summary: "s", tokensBefore: 1, firstKeptEntryId: "x", estimatedTokensAfter: 1, usage: summary, details };
    await until("the sub-task has its session", () => outer.sessions.length === 1);
    outer.sessions[0]?.emit({ type: "auto_compaction_end", reason: "threshold", result, aborted: false, willRetry: false });
    expect((await outcome).usage.cost.total).toBe(16);
    expect(outer.counted.map(({ cost }) => cost.total).toSorted((a, b) => a - b)).toEqual([1, 1, 4, 10]);
    expect(inner.requests).toMatchObject([{ tools: ["read", "gate"], depth: 2, limits: {} }]);
  });
});

test("an AgentSession can work on sub-tasks; there is nothing to see at run time", () => {
  const _asTaskSession: (session: AgentSession) => TaskSession = (session) => session;
});
