import { Agent, type AgentEvent, type AgentMessage } from "@pikit/agent";
import { createScriptedModel, type Script, type ScriptedAnswer } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import { toModelMessages } from "../../src/conversation/messages.ts";
import type { TodoPhaseInput, TodoStatus } from "../../src/protocol/data.ts";
import type { TodoEvent } from "../../src/protocol/events.ts";
import { TodoList } from "../../src/todo/todo-list.ts";
import { createTodoTool } from "../../src/tools/todo/definition.ts";
import { story } from "../helpers/story.ts";

/** A list with everything that it tells and stores. */
function createList() {
  const events: (TodoEvent | AgentEvent)[] = [];
  const stored: unknown[] = [];
  const list = new TodoList({
    append: async (customType, data) => void stored.push({ customType, data: JSON.parse(JSON.stringify(data)) }),
    emit: (event) => void events.push(event),
  });
  return { list, events, stored };
}

function tasks(...statuses: TodoStatus[]): TodoPhaseInput[] {
  return [{ name: "Work", tasks: statuses.map((status, index) => ({ content: `step ${index + 1}`, status })) }];
}

const todoCall = (...statuses: TodoStatus[]): ScriptedAnswer => ({
  toolCalls: [{ name: "todo", arguments: { phases: tasks(...statuses) } }],
});

/** An agent whose hooks use the list as a session does. */
function createRun(script: Script | readonly ScriptedAnswer[]) {
  const told = createList();
  const { list, events } = told;
  const contexts: string[][] = [];
  const scripted = createScriptedModel({ script });
  const model = createScriptedModel({
    script: (context, call, signal) => {
      contexts.push(context.messages.map(({ role, content }) => `${role}: ${typeof content === "string" ? content : ""}`));
      return scripted.script(context, call, signal);
    },
  });
  const agent: Agent = new Agent({
    model,
    tools: [createTodoTool(list)],
    toModelMessages,
    async betweenTurns({ toolResults }) {
      if (toolResults.length > 0) {
        const notice = list.notice(agent.state.messages);
        return notice && [notice];
      }
      return agent.queuedCount === 0 && list.isReminderDue ? [await list.remind()] : undefined;
    },
  });
  agent.subscribe(async (event) => {
    events.push(event);
    if (event.type === "agent_start") await list.startRun();
  });
  const prompt = async (text: string) => {
    const notice = list.notice(agent.state.messages);
    if (notice) agent.state.messages.push(notice);
    await agent.prompt(text);
  };
  return { ...told, agent, prompt, contexts };
}

const kinds = (events: readonly { type: string }[]) =>
  events.flatMap((event) => (event.type.startsWith("todo") || event.type.startsWith("agent") ? [event.type] : []));

describe("reminders", () => {
  test("a run that ends with unfinished todos of the model is reminded three times, in the same pair", async () => {
    const { prompt, events, agent } = createRun((_context, call) =>
      call === 0 ? todoCall("completed", "in_progress", "pending") : { text: "ok" },
    );
    await prompt("Go");
    expect(kinds(events)).toEqual(["agent_start", "todo_reminder", "todo_reminder", "todo_reminder", "agent_end"]);
    expect(events.filter(({ type }) => type === "todo_reminder")).toEqual(
      [1, 2, 3].map((attempt) => ({
        type: "todo_reminder",
        todos: [
          { id: "task-2", content: "step 2", status: "in_progress" },
          { id: "task-3", content: "step 3", status: "pending" },
        ],
        attempt,
        maxAttempts: 3,
      })),
    );
    const reminders = agent.state.messages.filter((message) => message.role === "custom");
    expect(reminders).toHaveLength(3);
    expect(reminders[0]).toMatchObject({
      customType: "todo-reminder",
      display: true,
      content: expect.stringContaining("2 tasks of your todo list are not done:\n- [>] step 2\n- [ ] step 3"),
    });
  });

  test("the model reads it, goes on, and is left alone when the list is done", async () => {
    const { prompt, events, contexts } = createRun([
      todoCall("pending"),
      { text: "stop" },
      todoCall("completed"),
      { text: "Done" },
    ]);
    await prompt("Go");
    expect(story(events)).toEqual([
      ...[
        "agent_start",
        "turn_start",
        "user: Go",
        "assistant: (toolCall)",
        expect.stringContaining("toolResult: Todo list, 0 of 1"),
        "turn_end",
      ],
      ...["turn_start", "assistant: stop", "turn_end", "turn_start", expect.stringContaining("custom: You stopped, but 1 task")],
      ...["assistant: (toolCall)", expect.stringContaining("toolResult: Todo list, 1 of 1"), "turn_end"],
      ...["turn_start", "assistant: Done", "turn_end", "agent_end"],
    ]);
    expect(contexts[2]?.at(-1)).toContain("user: You stopped, but 1 task of your todo list is not done:\n- [ ] step 1");
  });

  test("each prompt has its own three", async () => {
    const { prompt, events } = createRun((_context, call) => (call === 0 ? todoCall("pending") : { text: "ok" }));
    await prompt("one");
    await prompt("two");
    expect(kinds(events).filter((kind) => kind === "todo_reminder")).toHaveLength(6);
  });

  test.each<[string, ScriptedAnswer[], "model" | "host"]>([
    ["a list that a host has set", [{ text: "ok" }], "host"],
    ["an answer that failed", [{ error: { status: 500, message: "down" } }], "model"],
  ])("%s: none", async (_what, answers, author) => {
    const { prompt, list, events } = createRun(answers);
    await list.set(tasks("pending"), author);
    await prompt("Go");
    expect(kinds(events)).toEqual(["agent_start", "agent_end"]);
  });

  test("what is queued goes first, and an abort is none of its business", async () => {
    const { prompt, list, events, agent } = createRun(() => ({ text: "ok" }));
    await list.set(tasks("pending"), "model");
    agent.followUp({ role: "user", content: "and this", timestamp: 0 });
    agent.subscribe((event) => void (event.type === "message_end" && event.message.role === "custom" && agent.abort()));
    await prompt("Go");
    expect(story(events).filter((line) => line.startsWith("user") || line.startsWith("custom"))).toEqual([
      "user: Go",
      "user: and this",
      expect.stringContaining("custom: You stopped"),
    ]);
    expect(kinds(events)).toEqual(["agent_start", "todo_reminder", "agent_end"]);
  });
});

describe("clearing", () => {
  test("a list that is done is cleared at the next prompt, and the model is not told", async () => {
    const { prompt, list, events, stored, contexts } = createRun([
      todoCall("completed", "abandoned"),
      { text: "Done" },
      { text: "Hi" },
    ]);
    await prompt("Go");
    expect(list.phases).toHaveLength(1);
    await prompt("Next");
    expect(kinds(events)).toEqual(["agent_start", "agent_end", "agent_start", "todo_auto_clear", "agent_end"]);
    expect(list.phases).toEqual([]);
    expect(stored.at(-1)).toEqual({ customType: "pikit.todos", data: { phases: [], setBy: "host" } });
    await prompt("More");
    expect(contexts.at(-1)?.filter((line) => line.includes("cleared"))).toEqual([]);
  });

  test("a list without tasks, or with one that is open, stays", async () => {
    const { list, events } = createList();
    await list.set([{ name: "Later", tasks: [] }], "host");
    await list.startRun();
    await list.set(tasks("completed", "pending"), "host");
    await list.startRun();
    expect(events).toEqual([]);
    expect(list.phases[0]?.tasks).toHaveLength(2);
  });
});

describe("a list that the model has not seen", () => {
  test("that a host has set is shown before the prompt, once, and again when it was changed", async () => {
    const { prompt, list, contexts } = createRun(() => ({ text: "ok" }));
    await list.set(tasks("pending"), "host");
    await prompt("one");
    await prompt("two");
    await list.set(tasks("in_progress"), "host");
    await prompt("three");
    const shown = contexts.at(-1)?.flatMap((line) => /- \[.\] step 1/.exec(line)?.[0] ?? []);
    expect(shown).toEqual(["- [ ] step 1", "- [>] step 1"]);
    expect(contexts[0]?.[0]).toContain("keep it up to date with the todo tool");
  });

  test("that was set during a run is shown with the next tool results", async () => {
    const { prompt, list, contexts } = createRun(async (_context, call) => {
      if (call !== 0) return { text: "ok" };
      return todoCall("completed");
    });
    const set = list.set.bind(list);
    list.set = async (input, author) => {
      const phases = await set(input, author);
      await set(tasks("pending", "pending"), "host");
      return phases;
    };
    await prompt("Go");
    expect(contexts[1]?.at(-1)).toContain("0 of 2 done");
  });

  test("that was cleared before it was done is called off", async () => {
    const { prompt, list, contexts } = createRun(() => ({ text: "ok" }));
    await list.set(tasks("pending"), "host");
    await prompt("one");
    await list.set([], "host");
    await prompt("two");
    expect(contexts.at(-1)?.at(-2)).toContain("The list was cleared");
    await prompt("three");
    expect(contexts.at(-1)?.filter((line) => line.includes("was cleared"))).toHaveLength(1);
  });

  test("because the message that showed it was compacted or left is shown again", async () => {
    const { list } = createList();
    await list.set(tasks("pending"), "model");
    const shown = list.notice([]) as AgentMessage;
    expect(shown).toMatchObject({ role: "custom", customType: "todo-list", display: false });
    expect(list.notice([shown])).toBeUndefined();
    expect(list.notice([JSON.parse(JSON.stringify(shown))])).toBeUndefined();
    expect(list.notice([{ role: "compactionSummary", summary: "…", tokensBefore: 1, timestamp: 0 }])).toEqual({
      ...shown,
      timestamp: expect.any(Number),
    });
  });
});

describe("a list that is stored", () => {
  test("is taken over from the last entry of the branch, its author too", async () => {
    const first = createList();
    await first.list.set(tasks("pending"), "model");
    const [entry] = first.stored as { customType: string; data: unknown }[];
    expect(entry).toMatchObject({ customType: "pikit.todos", data: { phases: [{ id: "phase-1" }] } });
    const { list } = createList();
    list.restore(entry?.data);
    expect(list.phases).toEqual(first.list.phases);
    expect(list.isReminderDue).toBe(true);
    list.restore({ phases: first.list.phases });
    expect(list.isReminderDue).toBe(false);
    list.restore(undefined);
    expect(list.phases).toEqual([]);
  });

  test("counts when it is stored: set() waits, and one that cannot be used changes nothing", async () => {
    const gate = Promise.withResolvers<void>();
    const list = new TodoList({ append: () => gate.promise, emit: () => {} });
    const setting = list.set(tasks("pending"), "host");
    await expect(list.set([{ name: "", tasks: [] }], "host")).rejects.toMatchObject({ code: "invalid_input" });
    expect(list.phases).toHaveLength(1);
    gate.resolve();
    expect(await setting).toBe(list.phases);
  });
});
