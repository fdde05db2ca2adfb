import { expect, test } from "vitest";
import { TodoList } from "../../../src/todo/todo-list.ts";
import { createTodoTool } from "../../../src/tools/todo/definition.ts";
import { runTool, textOf } from "../run-tool.ts";

const createList = () => new TodoList({ append: async () => {}, emit: () => {} });

test("sets the list and answers with it, as text and as data", async () => {
  const list = createList();
  const result = await runTool(createTodoTool(list), {
    phases: [
      {
        name: "Look",
        tasks: [
          { content: "Read the\n  tests", status: "completed" },
          { content: "Ask", status: "abandoned" },
        ],
      },
      {
        name: "Do",
        tasks: [
          { content: "Write", status: "in_progress" },
          { content: "Check", status: "pending" },
        ],
      },
    ],
  });
  expect(textOf(result)).toBe(
    [
      "Todo list, 2 of 4 done ([ ] pending, [>] in progress, [x] completed, [-] abandoned):",
      ...["Look:", "- [x] Read the tests", "- [-] Ask", "Do:", "- [>] Write", "- [ ] Check"],
    ].join("\n"),
  );
  expect(result.details).toEqual({ phases: list.phases });
  expect(list.phases[1]).toEqual({
    id: "phase-2",
    name: "Do",
    tasks: [
      { id: "task-3", content: "Write", status: "in_progress" },
      { id: "task-4", content: "Check", status: "pending" },
    ],
  });
});

test("an empty array clears the list", async () => {
  const list = createList();
  await list.set([{ name: "A", tasks: [{ content: "x" }] }], "host");
  const result = await runTool(createTodoTool(list), { phases: [] });
  expect(textOf(result)).toBe("The todo list is empty.");
  expect(list.phases).toEqual([]);
});

test("a list that cannot be used is an error that says where, and changes nothing", async () => {
  const list = createList();
  const bad = { phases: [{ name: "A", tasks: [{ content: "  ", status: "pending" as const }] }] };
  await expect(runTool(createTodoTool(list), bad)).rejects.toMatchObject({
    code: "invalid_list",
    message: "The todo list cannot be used: phases[0].tasks[0].content is empty. Enter a text.",
  });
  expect(list.phases).toEqual([]);
});
