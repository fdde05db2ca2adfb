import { type AgentTool, ToolError } from "@pikit/agent";
import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { TodoStatusSchema } from "../../protocol/data.ts";
import type { TodoList } from "../../todo/todo-list.ts";
import { describePhases, type TodoDetails } from "../../todo/todo-text.ts";

const parameters = Type.Object({
  phases: Type.Array(
    Type.Object({
      name: Type.String({ minLength: 1, description: "What the tasks of this phase have in common" }),
      tasks: Type.Array(
        Type.Object({
          content: Type.String({
            minLength: 1,
            description: "One thing to do, in a few words; keep the words when you send it again",
          }),
          status: TodoStatusSchema,
        }),
      ),
    }),
    { description: "The whole list, in the order of the work; it replaces the one before. An empty array clears it." },
  ),
});

export type TodoParameters = Static<typeof parameters>;

/** The `todo` tool: the model's own list of what is to be done. */
export function createTodoTool(list: Pick<TodoList, "set">): AgentTool<typeof parameters, TodoDetails> {
  return {
    name: "todo",
    label: "Todo",
    description:
      "Sets the todo list of this session. Use it for work of three or more steps: write the plan first, set a task to in_progress " +
      "before you begin it and to completed as soon as it is done, and to abandoned when it turns out not to be wanted. " +
      "Always send the whole list.",
    parameters,
    async execute(_toolCallId, { phases }) {
      try {
        const set = await list.set(phases, "model");
        return { content: [{ type: "text", text: describePhases(set) }], details: { phases: set } };
      } catch (cause) {
        throw new ToolError("invalid_list", cause instanceof Error ? cause.message : String(cause), { cause });
      }
    },
  };
}
