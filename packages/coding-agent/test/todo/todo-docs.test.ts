import { readFile } from "node:fs/promises";
import { Value } from "@sinclair/typebox/value";
import { expect, test } from "vitest";
import { type TodoPhaseInput, TodoPhaseInputSchema } from "../../src/protocol/data.ts";
import { events } from "../../src/protocol/events.ts";
import { TodoList } from "../../src/todo/todo-list.ts";
import { createTodoTool } from "../../src/tools/todo/definition.ts";
import { runTool, textOf } from "../tools/run-tool.ts";

test("the examples of docs/todos.md are what the list, the tool and the events do", async () => {
  const text = await readFile(new URL("../../../../docs/todos.md", import.meta.url), "utf8");
  const [command, response, call, reminder, ...others] = [...text.matchAll(/^```json\n(.*?)^```$/gms)].map(([, json]) =>
    JSON.parse(json ?? ""),
  );
  expect(others).toEqual([]);
  const list = new TodoList({ append: async () => {}, emit: (event) => void expect(event).toEqual(reminder) });
  for (const phase of command.phases) expect(Value.Check(TodoPhaseInputSchema, phase)).toBe(true);
  expect(await list.set(command.phases as TodoPhaseInput[], "host")).toEqual(response.data.todoPhases);

  const tool = createTodoTool(list);
  expect(Value.Check(tool.parameters, call)).toBe(true);
  const result = await runTool(tool, call);
  expect(`${textOf(result)}\n`).toBe(/^```text\n(.*?)^```$/ms.exec(text)?.[1]);
  expect(Value.Check(events.todo_reminder, reminder)).toBe(true);
  await list.remind();
});
