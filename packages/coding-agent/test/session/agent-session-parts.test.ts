import { createScriptedModel, type ScriptedAnswer } from "@pikit/ai";
import { expect, test } from "vitest";
import { MemorySessionStore } from "../../src/conversation/memory-store.ts";
import type { StreamRule } from "../../src/run/stream-rules/rule.ts";
import type { AgentSessionEvent } from "../../src/session/events.ts";
import { absentUser } from "../../src/user-interface.ts";
import { createScriptedSession, openSession } from "../helpers/sessions.ts";
import { story } from "../helpers/story.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };
const cost = { input: 1e6, output: 1e6, cacheRead: 0, cacheWrite: 0 };

/** Types of the events that parts of a session add to a run, in its story. */
function tell(events: readonly AgentSessionEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === "ttsr_triggered") return [`rules: ${event.rules.map(({ name }) => name).join(", ")}`];
    if (event.type === "todo_reminder") return [`reminder ${event.attempt} of ${event.maxAttempts}: ${event.todos.length}`];
    if (event.type === "todo_auto_clear") return ["todos cleared"];
    return story([event]);
  });
}

const todo = (status: string): ScriptedAnswer => ({
  toolCalls: [{ name: "todo", arguments: { phases: [{ name: "Work", tasks: [{ content: "Write it", status }] }] } }],
});

test("a model's own list is in the state, it is reminded of it, and the list is kept along the branch", async () => {
  const { session, events } = await createScriptedSession(
    workspace,
    [todo("in_progress"), { text: "Bye." }, todo("completed"), { text: "Done." }, { text: "Again." }],
    { tools: ["todo"] },
  );
  await session.prompt("Go");
  expect(tell(events)).toEqual([
    "agent_start",
    "turn_start",
    "user: Go",
    "assistant: (toolCall)",
    expect.stringContaining("toolResult: "),
    "turn_end",
    "turn_start",
    "assistant: Bye.",
    "turn_end",
    "reminder 1 of 3: 1",
    "turn_start",
    expect.stringMatching(/^custom: .*Write it/s),
    "assistant: (toolCall)",
    expect.stringContaining("toolResult: "),
    "turn_end",
    "turn_start",
    "assistant: Done.",
    "turn_end",
    "agent_end",
    "agent_settled",
  ]);
  const phases = session.state().todoPhases;
  expect(phases).toEqual([{ id: "phase-1", name: "Work", tasks: [{ id: "task-1", content: "Write it", status: "completed" }] }]);
  const file = session.sessionFile as string;
  await session.dispose();

  const resumed = await openSession(workspace, {
    session: { path: file },
    model: createScriptedModel({ script: [{ text: "Again." }] }),
  });
  expect(resumed.session.state().todoPhases).toEqual(phases);
  expect(resumed.session.tools.names).toContain("todo");
  await resumed.session.prompt("More");
  expect(tell(resumed.events)[0]).toBe("todos cleared");
  expect(resumed.session.state().todoPhases).toEqual([]);
  await resumed.session.history.branch((await resumed.session.history.branchPoints())[1]?.entryId as string);
  expect(resumed.session.state().todoPhases).toEqual(phases);
});

test("a list that a host sets is shown to the model, which can change it from then on", async () => {
  const contexts: string[] = [];
  const { session } = await createScriptedSession(workspace, (context) => {
    contexts.push(JSON.stringify(context.messages));
    return { text: "Yes." };
  });
  await session.todos.set([{ name: "Plan", tasks: [{ content: "Map the tools" }] }]);
  expect(session.tools.names).toContain("todo");
  await session.prompt("Go");
  await session.prompt("On");
  expect(contexts.map((context) => context.split("Map the tools").length - 1)).toEqual([1, 1]);
});

test("an answer that breaks a rule is stopped, the rule is told, and the model is asked again with its text", async () => {
  const rule: StreamRule = {
    name: "no-eval",
    path: "/rules/no-eval.md",
    trigger: "\\beval\\(",
    content: "Do not use eval.",
    contextMode: "discard",
    repeatMode: "once",
    repeatGap: 10,
  };
  const { session, events } = await createScriptedSession(
    workspace,
    [{ text: "I call eval(code) and so on.", deltas: 8 }, { text: "I parse it." }],
    { streamRules: [rule] },
  );
  await session.prompt("Go");
  expect(tell(events)).toEqual([
    "agent_start",
    "turn_start",
    "user: Go",
    expect.stringMatching(/^assistant: .*eval\(.*\[aborted\]$/),
    "turn_end",
    "rules: no-eval",
    "turn_start",
    expect.stringMatching(/^custom: .*Do not use eval\./s),
    "assistant: I parse it.",
    "turn_end",
    "agent_end",
    "agent_settled",
  ]);
  await expect(openSession(workspace, { streamRules: [{ ...rule, trigger: "(" }], model: "demo/tour" })).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("no-eval"),
  });
});

test("a sub-task works with tools of its parent in a session of its own, and what it has cost counts", async () => {
  const script = (context: { messages: readonly { role: string; content: unknown }[] }): ScriptedAnswer => {
    const first = JSON.stringify(context.messages[0]?.content);
    const isChild = first.includes("Count the files");
    const hasResult = context.messages.some(({ role }) => role === "toolResult");
    if (isChild) {
      return hasResult
        ? { text: "There is 1 file.", usage }
        : { toolCalls: [{ name: "bash", arguments: { command: "ls | wc -l" } }], usage };
    }
    if (hasResult) return { text: "One file.", usage };
    return { toolCalls: [{ name: "delegate", arguments: { task: "Count the files.", tools: ["bash"] } }], usage };
  };
  await workspace.write("work/a.txt", "a");
  const model = { ...createScriptedModel({ script: script as never }), cost };
  const told: string[] = [];
  const { session } = await openSession(workspace, {
    model,
    tools: ["read", "bash", "delegate"],
    onDelegation: (_id, event) => void told.push(event.type),
  });
  await session.prompt("How many files are there?");
  const result = session.messages.find(({ role }) => role === "toolResult");
  expect(JSON.stringify(result)).toContain("There is 1 file.");
  expect(session.lastAssistantText()).toBe("One file.");
  expect(told).toEqual(["started", "progress", "progress", "finished"]);
  // Two answers of its own and two of the sub-task.
  expect(session.stats()).toMatchObject({ assistantMessages: 2, tokens: { input: 40, output: 20 }, cost: 60 });
  expect(await workspace.sessionFiles()).toHaveLength(1);
});

test("a session in memory and a sub-task are not stored, also if there is a store", async () => {
  const store = new MemorySessionStore();
  const { session: inMemory } = await createScriptedSession(workspace, [{ text: "Yes." }], { store, session: "memory" });
  await inMemory.prompt("Keep nothing.");
  const script = ({ messages }: { messages: readonly { role: string; content: unknown }[] }): ScriptedAnswer => {
    const isDone = JSON.stringify(messages[0]?.content).includes("Part") || messages.some(({ role }) => role === "toolResult");
    return isDone ? { text: "Done." } : { toolCalls: [{ name: "delegate", arguments: { task: "Part of it." } }] };
  };
  const model = createScriptedModel({ script: script as never });
  const { session } = await openSession(workspace, { model, tools: ["delegate"], store });
  await session.prompt("All of it.");
  expect(JSON.stringify(session.messages)).toContain("Done.");
  expect((await store.list()).map(({ id }) => id)).toEqual([session.sessionId]);
});

test("a sub-task asks whom its parent asks, and does not pass the limits of its parent", async () => {
  const asked: string[] = [];
  const script = (context: { messages: readonly { role: string; content: unknown }[] }): ScriptedAnswer => {
    const isChild = JSON.stringify(context.messages[0]?.content).includes("Remove");
    const results = context.messages.filter(({ role }) => role === "toolResult");
    if (isChild) {
      return results.length === 0
        ? { toolCalls: [{ name: "bash", arguments: { command: "rm -rf a.txt" } }] }
        : { text: JSON.stringify(results[0]?.content) };
    }
    return results.length === 0 ? { toolCalls: [{ name: "delegate", arguments: { task: "Remove a.txt." } }] } : { text: "Asked." };
  };
  await workspace.write("work/a.txt", "a");
  const { session } = await openSession(workspace, {
    model: createScriptedModel({ script: script as never }),
    tools: ["bash", "delegate"],
    approval: "on-risk",
    user: {
      ...absentUser,
      async confirm({ message, riskTier }) {
        asked.push(`${riskTier}: ${message}`);
        return false;
      },
    },
  });
  await session.prompt("Clean up.");
  expect(asked).toEqual([expect.stringMatching(/^confirm_required: .*rm -rf a\.txt/s)]);
  expect(JSON.stringify(session.messages)).toContain("declined");
  expect(await workspace.write("work/a.txt", "still here")).toContain("a.txt");
});

test("--read-only in words: a session that only looks says so to the model and goes on", async () => {
  const { session } = await createScriptedSession(
    workspace,
    [{ toolCalls: [{ name: "write", arguments: { path: "x", content: "x" } }] }, { text: "I cannot." }],
    { readOnly: true },
  );
  await session.prompt("Write x.");
  const result = session.messages.find(({ role }) => role === "toolResult");
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("read-only") }],
  });
  expect(session.lastAssistantText()).toBe("I cannot.");
});
