import type { AgentTool } from "@pikit/agent";
import type { TodoList } from "../../todo/todo-list.ts";
import type { TodoDetails } from "../../todo/todo-text.ts";
import { todoParameters } from "./parameters.ts";

/** The `todo` tool: the model's list of tasks. */
export function createTodoTool(list: Pick<TodoList, "set">): AgentTool<typeof todoParameters, TodoDetails> {
  return {
    name: "todo",
    label: "Todo",
    description:
      "Sets the todo list of this session. Use it for work of three or more steps: write the plan first, set a task to in_progress " +
      "before you begin it and to completed as soon as it is done, and to abandoned when it turns out not to be wanted. " +
      "Always send the whole list.",
    parameters: todoParameters,
    async execute(_toolCallId, params) {
      return (await import("./run.ts")).runTodo(params, list);
    },
  };
}
