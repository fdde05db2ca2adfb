import { describe, expect, test } from "vitest";
import { serveHere } from "../../helpers/rpc-here.ts";
import { type RpcConnection, startRpc, type WireRecord } from "../../helpers/rpc-process.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

type Status = "pending" | "in_progress" | "completed" | "abandoned";
/** A call of the model's todo tool with one phase. */
const todo = (...tasks: [content: string, status: Status][]) => ({
  toolCalls: [
    { name: "todo", arguments: { phases: [{ name: "Plan", tasks: tasks.map(([content, status]) => ({ content, status })) }] } },
  ],
});
const said = (text: string) => ({ text });

async function start(options: { tools?: "todo"[] }, ...answers: Parameters<typeof workspace.script>): Promise<RpcConnection> {
  return serveHere(workspace, { model: await workspace.script(...answers), ...options });
}

/** What concerns the list, in order. */
function outline(records: readonly WireRecord[]): string[] {
  return records.flatMap((record) => {
    const message = record.message as { role: string; customType?: string; content: unknown } | undefined;
    if (record.type === "message_end" && message?.role === "custom") return [`custom ${message.customType}`];
    if (record.type === "todo_reminder") return [`reminder ${record.attempt} of ${record.maxAttempts}`];
    return ["todo_auto_clear", "agent_start", "agent_end", "agent_settled"].includes(record.type) ? [record.type] : [];
  });
}

describe("set_todos", () => {
  test("fills in ids and statuses, answers with the list, and get_state has it", async () => {
    const rpc = await start({});
    const { todoPhases } = await rpc.ask({
      type: "set_todos",
      phases: [
        { id: "phase-1", name: "Evaluation", tasks: [{ id: "task-1", content: "Map the tools", status: "in_progress" }] },
        {
          name: " Later ",
          tasks: [
            { content: "Write", status: null },
            { id: null, content: "Ship", status: "abandoned" },
          ],
        },
      ],
    });
    expect(todoPhases).toEqual([
      { id: "phase-1", name: "Evaluation", tasks: [{ id: "task-1", content: "Map the tools", status: "in_progress" }] },
      {
        ...{ id: "phase-2", name: "Later" },
        tasks: [
          { id: "task-2", content: "Write", status: "pending" },
          { id: "task-3", content: "Ship", status: "abandoned" },
        ],
      },
    ]);
    expect(await rpc.state()).toMatchObject({ todoPhases });
    // What is there already keeps its id, whatever comes before it.
    const again = await rpc.ask({
      type: "set_todos",
      phases: [{ name: "Later", tasks: [{ content: "New" }, { content: "Ship", status: "completed" }] }],
    });
    expect(again.todoPhases).toEqual([
      {
        ...{ id: "phase-2", name: "Later" },
        tasks: [
          { id: expect.not.stringMatching(/^task-3$/), content: "New", status: "pending" },
          { id: "task-3", content: "Ship", status: "completed" },
        ],
      },
    ]);
    expect((await rpc.ask({ type: "set_todos", phases: [] })).todoPhases).toEqual([]);
  });

  test.each([
    [{}, /"phases" must be an array/],
    [{ phases: [{ name: "P" }] }, /"phases\.0\.tasks" must be an array/],
    [{ phases: [{ name: "P", tasks: [{ content: "x", status: "done" }] }] }, /"phases\.0\.tasks\.0\.status" must be "pending" or/],
    [{ phases: [{ name: " ", tasks: [] }] }, /phases\[0\]\.name is empty/],
    [
      {
        phases: [
          { id: "a", name: "A", tasks: [] },
          { id: "a", name: "B", tasks: [] },
        ],
      },
      /"a" of phases\[1\] is used twice/,
    ],
  ])("with %j is refused, and the list stays", async (fields, error) => {
    const rpc = await start({});
    const { todoPhases } = await rpc.ask({ type: "set_todos", phases: [{ name: "P", tasks: [{ content: "T" }] }] });
    const refused = await rpc.request({ type: "set_todos", ...fields });
    expect(refused).toMatchObject({ command: "set_todos", success: false, error: expect.stringMatching(error) });
    expect(await rpc.state()).toMatchObject({ todoPhases });
  });

  test("shows the list to the model, which gets the todo tool; the list survives the process", async () => {
    const rpc = await start({}, todo(["Map", "completed"], ["Write", "completed"]), said("Done."));
    await rpc.ask({ type: "set_todos", phases: [{ name: "Plan", tasks: [{ content: "Map" }, { content: "Write" }] }] });
    const records = await rpc.promptAndWait("Go");
    expect(outline(records)).toEqual(["agent_start", "custom todo-list", "agent_end", "agent_settled"]);
    expect(records.find(({ type }) => type === "tool_execution_end")).toMatchObject({ toolName: "todo", isError: false });
    const { todoPhases } = await rpc.state();
    expect(todoPhases).toMatchObject([{ id: "phase-1", tasks: [{ id: "task-1", status: "completed" }, { status: "completed" }] }]);
    await rpc.end();
    const again = startRpc(workspace, ["--continue"]);
    expect(await again.state()).toMatchObject({ todoPhases });
  });

  test("without it, and without --tools, the model has no todo tool", async () => {
    const rpc = await start({}, todo(["Map", "pending"]), said("Done."));
    const records = await rpc.promptAndWait("Go");
    expect(records.find(({ type }) => type === "tool_execution_end")).toMatchObject({ toolName: "todo", isError: true });
    expect(await rpc.state()).toMatchObject({ todoPhases: [] });
  });
});

describe("reminders", () => {
  test("a run that ends with tasks of the model's own undone is reminded at most three times, in one pair", async () => {
    const rpc = await start(
      { tools: ["todo"] },
      todo(["Map", "completed"], ["Write", "in_progress"]),
      ...["A", "B", "C", "D"].map(said),
    );
    const records = await rpc.promptAndWait("Go");
    expect(outline(records)).toEqual([
      ...["agent_start", "reminder 1 of 3", "custom todo-reminder", "reminder 2 of 3", "custom todo-reminder"],
      ...["reminder 3 of 3", "custom todo-reminder", "agent_end", "agent_settled"],
    ]);
    expect(records.find(({ type }) => type === "todo_reminder")).toEqual({
      ...{ type: "todo_reminder", attempt: 1, maxAttempts: 3 },
      todos: [{ id: "task-2", content: "Write", status: "in_progress" }],
    });
    expect(
      records.find(({ type, message }) => type === "message_end" && (message as { role: string }).role === "custom"),
    ).toMatchObject({
      message: { customType: "todo-reminder", display: true, content: expect.stringContaining("Write") },
    });
  });

  test("a list of the host's own reminds of nothing", async () => {
    const rpc = await start({}, said("Done."));
    await rpc.ask({ type: "set_todos", phases: [{ name: "Plan", tasks: [{ content: "Map" }] }] });
    expect(outline(await rpc.promptAndWait("Go"))).toEqual(["agent_start", "custom todo-list", "agent_end", "agent_settled"]);
  });

  test("a list whose tasks are all done is cleared at the next prompt", async () => {
    const rpc = await start({ tools: ["todo"] }, todo(["Map", "completed"], ["Write", "abandoned"]), ...["A", "B"].map(said));
    await rpc.promptAndWait("Go");
    expect(await rpc.state()).toMatchObject({ todoPhases: [{ name: "Plan" }] });
    const records = await rpc.promptAndWait("Next");
    expect(outline(records)).toEqual(["todo_auto_clear", "agent_start", "agent_end", "agent_settled"]);
    expect(records.filter(({ type }) => type === "todo_auto_clear")).toEqual([{ type: "todo_auto_clear" }]);
    expect(await rpc.state()).toMatchObject({ todoPhases: [] });
  });
});
