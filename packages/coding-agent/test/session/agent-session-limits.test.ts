import { createScriptedModel, type ScriptedAnswer } from "@pikit/ai";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { CreateAgentSessionOptions } from "../../src/session/options.ts";
import { absentUser, type Clarification, type ClarificationAnswer } from "../../src/user-interface.ts";
import { createGate, throughGate } from "../helpers/gate.ts";
import { createScriptedSession, nextEvent } from "../helpers/sessions.ts";
import { abortedTurn, story } from "../helpers/story.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** An answer with calls of bash, each other than the ones before. */
function work(...commands: string[]): ScriptedAnswer {
  return { toolCalls: commands.map((command) => ({ name: "bash", arguments: { command } })) };
}

const openWorking = (options: CreateAgentSessionOptions) =>
  createScriptedSession(workspace, (_context, call) => work(`echo ${call}`), options);

/** A user who answers questions with these, and then says stop. */
function createUser(...answers: ClarificationAnswer[]) {
  const questions: Clarification[] = [];
  const user = {
    ...absentUser,
    async clarify(question: Clarification): Promise<ClarificationAnswer> {
      questions.push(question);
      return answers.shift() ?? { action: "stop" };
    },
  };
  return { user, questions };
}

/** Time passes when the test says so. The scripted model and the gate need no timers. */
function useFakeTimeouts(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
}

afterEach(() => void vi.useRealTimers());

const limitsIn = (events: readonly { type: string }[]) => story(events).filter((line) => line.startsWith("limit"));

describe("a run that reaches a limit", () => {
  test("max-turns: ends before the next model call, in the usual order, and the event says why", async () => {
    const { session, events } = await openWorking({ limits: { maxTurns: 2 } });
    await session.prompt("Work");
    expect(story(events)).toEqual([
      ...["agent_start", "turn_start", "user: Work", "assistant: (toolCall)", "toolResult: 0", "turn_end"],
      ...["turn_start", "assistant: (toolCall)", "toolResult: 1", "turn_end", "limit max-turns 2", "agent_end", "agent_settled"],
    ]);
    expect(session.limits.reached).toBe("max-turns");
  });

  test("each prompt counts anew, and one that stays below its limit reaches none", async () => {
    const answers = [work("echo 1"), { text: "One" }, work("echo 2"), work("echo 3"), { text: "Three" }];
    const { session, events } = await createScriptedSession(workspace, answers, { limits: { maxTurns: 2 } });
    await session.prompt("one");
    expect(session.limits.reached).toBeUndefined();
    await session.prompt("two");
    expect(session.limits.reached).toBe("max-turns");
    await session.prompt("three");
    expect(session.limits.reached).toBeUndefined();
    expect(session.lastAssistantText()).toBe("Three");
    expect(limitsIn(events)).toEqual(["limit max-turns 2"]);
  });

  test("max-turns: messages that wait go no further than the limit, and stay queued", async () => {
    const { session, events } = await createScriptedSession(workspace, () => ({ text: "ok" }), { limits: { maxTurns: 2 } });
    for (const text of ["f1", "f2", "f3"]) await session.queue("followUp", { text });
    await session.prompt("Go");
    expect(story(events).slice(-6)).toEqual([
      "user: f1",
      "assistant: ok",
      "turn_end",
      "limit max-turns 2",
      "agent_end",
      "agent_settled",
    ]);
    expect(session.queues.texts).toEqual({ steering: [], followUp: ["f2", "f3"] });
  });

  test("max-cost: ends before the first model call past it", async () => {
    const cost = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 };
    const script = (_context: unknown, call: number) => ({ ...work(`echo ${call}`), usage: { input: 1, output: 1 } });
    const model = createScriptedModel({ script, overrides: { cost } });
    const { session, events } = await createScriptedSession(workspace, [], { model, limits: { maxCostUsd: 2.5 } });
    await session.prompt("Work");
    expect(story(events).filter((line) => line === "turn_start")).toHaveLength(3);
    expect(limitsIn(events)).toEqual(["limit max-cost 2.5"]);
  });

  test("max-tool-calls: the first call past it is not run, the model's turn is answered, the run ends", async () => {
    const commands = ["touch 1", "touch 2", "touch 3"];
    const { session, events } = await createScriptedSession(workspace, [work(...commands)], { limits: { maxToolCalls: 2 } });
    await session.prompt("Work");
    expect(story(events).slice(3)).toEqual([
      ...["assistant: (toolCall) (toolCall) (toolCall)", "toolResult: (no output)", "toolResult: (no output)"],
      ...["toolResult: Not run: this run has reached its limit of 2 tool calls.", "turn_end"],
      ...["limit max-tool-calls 2", "agent_end", "agent_settled"],
    ]);
    expect((await session.shell.run("ls")).output).toBe("1\n2\n");
  });

  test("max-tool-calls 0 lets the model answer, but run nothing", async () => {
    const { session, events } = await createScriptedSession(workspace, [{ text: "Hi" }, work("touch 1")], {
      limits: { maxToolCalls: 0 },
    });
    await session.prompt("Talk");
    expect(session.lastAssistantText()).toBe("Hi");
    await session.prompt("Work");
    expect(limitsIn(events)).toEqual(["limit max-tool-calls 0"]);
    expect((await session.shell.run("ls")).output).toBe("");
  });

  test("max-time: aborts what is going, and a later prompt has its own time", async () => {
    useFakeTimeouts();
    const gate = createGate();
    const { session, events } = await createScriptedSession(workspace, [throughGate, { text: "Quick" }], {
      customTools: [gate.tool],
      limits: { maxTimeMs: 5000 },
    });
    const { settled } = await session.submit("Work");
    await gate.reached;
    vi.advanceTimersByTime(4999);
    expect(limitsIn(events)).toEqual([]);
    vi.advanceTimersByTime(1);
    await settled;
    expect(story(events).slice(4)).toEqual([
      ...[
        "limit max-time 5",
        expect.stringMatching(/^toolResult: .*abort/i),
        "turn_end",
        ...abortedTurn,
        "agent_end",
        "agent_settled",
      ],
    ]);
    expect(session.limits.reached).toBe("max-time");
    await session.prompt("Again");
    expect(session.lastAssistantText()).toBe("Quick");
    expect(session.limits.reached).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("max-time ends a wait before a retry", async () => {
    useFakeTimeouts();
    const { session, events } = await createScriptedSession(workspace, [{ error: { status: 529, message: "busy" } }], {
      retry: { baseDelayMs: 60_000 },
      limits: { maxTimeMs: 5000 },
    });
    const waiting = nextEvent(session, ({ type }) => type === "auto_retry_start");
    const { settled } = await session.submit("Hi");
    await waiting;
    await vi.advanceTimersByTimeAsync(5000);
    await settled;
    expect(story(events).slice(4)).toEqual([
      ...[
        "turn_end",
        "retry 1 of 3",
        "limit max-time 5",
        "retry over at 1: The retry was cancelled.",
        ...abortedTurn,
        "agent_end",
        "agent_settled",
      ],
    ]);
  });

  test("the limits of settings.json hold beside those of the options", async () => {
    await workspace.write("agent/settings.json", { limits: { maxTurns: 2, maxToolCalls: 5 } });
    const first = await openWorking({ limits: { maxToolCalls: 9 } });
    await first.session.prompt("Work");
    expect(limitsIn(first.events)).toEqual(["limit max-turns 2"]);
    const second = await openWorking({ limits: { maxTurns: 3 } });
    await second.session.prompt("Work");
    expect(limitsIn(second.events)).toEqual(["limit max-turns 3"]);
  });
});

describe("a user who is there", () => {
  test("says continue with a hint: the hint is a message of theirs, and the run has its limit again", async () => {
    const { user, questions } = createUser({ action: "continue", hint: "look in src" }, { action: "continue" });
    const { session, events } = await openWorking({ user, limits: { maxTurns: 1 } });
    await session.prompt("Work");
    expect(story(events)).toEqual([
      ...["agent_start", "turn_start", "user: Work", "assistant: (toolCall)", "toolResult: 0", "turn_end"],
      ...["queue: look in src | ", "queue:  | ", "turn_start", "user: look in src"],
      ...["assistant: (toolCall)", "toolResult: 1", "turn_end", "turn_start", "assistant: (toolCall)", "toolResult: 2", "turn_end"],
      ...["limit max-turns 1", "agent_end", "agent_settled"],
    ]);
    expect(questions.map(({ reason }) => reason)).toEqual(["max_iterations", "max_iterations", "max_iterations"]);
    expect(questions[0]).toEqual({
      reason: "max_iterations",
      message: expect.stringMatching(/\w/),
      suggestions: expect.arrayContaining([expect.any(String)]),
    });
  });

  test.each([
    [{ maxToolCalls: 1 }, work("echo a", "echo b"), "max_tool_calls"],
    [{ maxFailuresInARow: 2 }, work("exit 1", "exit 2"), "too_many_failures"],
    [{ maxRepeats: 3 }, work("echo a", "echo a", "echo a"), "no_progress"],
  ])("%j: is asked, and a blank hint is none", async (limits, answer, reason) => {
    const { user, questions } = createUser({ action: "continue", hint: " " });
    const { session, events } = await createScriptedSession(workspace, [answer, { text: "Done" }], { user, limits });
    await session.prompt("Work");
    expect(questions.map((question) => question.reason)).toEqual([reason]);
    expect(session.lastAssistantText()).toBe("Done");
    expect(limitsIn(events)).toEqual([]);
    expect(story(events).filter((line) => line.startsWith("user"))).toEqual(["user: Work"]);
  });

  test("is not asked about money and time", async () => {
    const { user, questions } = createUser({ action: "continue" });
    const { session, events } = await openWorking({ user, limits: { maxCostUsd: 0 } });
    await session.prompt("Work");
    expect(limitsIn(events)).toEqual(["limit max-cost 0"]);
    expect(questions).toEqual([]);
  });

  test.each(["abort", "newSession", "dispose"] as const)("but never answers holds no %s, and no limit is told", async (how) => {
    const asked = Promise.withResolvers<AbortSignal | undefined>();
    const user = {
      ...absentUser,
      clarify(_question: Clarification, options?: { signal?: AbortSignal }) {
        asked.resolve(options?.signal);
        return new Promise<never>(() => {});
      },
    };
    const { session, events } = await openWorking({ user, limits: { maxTurns: 1 } });
    const { settled } = await session.submit("Work");
    const signal = await asked.promise;
    expect(session.isStreaming).toBe(true);
    await (how === "newSession" ? session.history.startNew() : session[how]());
    await settled;
    expect(signal?.aborted).toBe(true);
    expect(story(events).slice(4)).toEqual(["toolResult: 0", "turn_end", ...abortedTurn, "agent_end", "agent_settled"]);
    expect(session.limits.reached).toBeUndefined();
  });

  test("runs into max-time while being asked: one limit is told", async () => {
    useFakeTimeouts();
    const gate = createGate();
    gate.open();
    const asked = Promise.withResolvers<void>();
    const user = {
      ...absentUser,
      clarify() {
        asked.resolve();
        return new Promise<never>(() => {});
      },
    };
    const { session, events } = await createScriptedSession(workspace, [throughGate], {
      customTools: [gate.tool],
      user,
      limits: { maxTurns: 1, maxTimeMs: 5000 },
    });
    const { settled } = await session.submit("Work");
    await asked.promise;
    vi.advanceTimersByTime(5000);
    await settled;
    expect(limitsIn(events)).toEqual(["limit max-time 5"]);
    expect(session.limits.reached).toBe("max-time");
  });

  test("AG-020 whose interface fails ends the run with an error, not a hang", async () => {
    const user = { ...absentUser, clarify: () => Promise.reject(new Error("the window is gone")) };
    const { session, events } = await openWorking({ user, limits: { maxTurns: 1 } });
    await session.prompt("Work");
    expect(story(events).slice(-5)).toEqual(["turn_start", "assistant:  [error]", "turn_end", "agent_end", "agent_settled"]);
    expect(session.messages.at(-1)).toMatchObject({ errorMessage: "the window is gone" });
  });
});
