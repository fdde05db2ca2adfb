import { type AgentToolResult, ToolError } from "@pikit/agent";
import type { TodoList } from "../../todo/todo-list.ts";
import { describePhases, type TodoDetails } from "../../todo/todo-text.ts";
import type { TodoParameters } from "./parameters.ts";

/** Executes one call of `todo`. */
export async function runTodo({ phases }: TodoParameters, list: Pick<TodoList, "set">): Promise<AgentToolResult<TodoDetails>> {
  try {
    const set = await list.set(phases, "model");
    return { content: [{ type: "text", text: describePhases(set) }], details: { phases: set } };
  } catch (cause) {
    throw new ToolError("invalid_list", cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
