import type { TodoPhase, TodoPhaseInput } from "../../protocol/data.ts";
import { type TodoList, todoEntryType } from "../../todo/todo-list.ts";
import type { ToolSet } from "./tool-set.ts";
import type { Transcript } from "./transcript.ts";

/** The session's list of tasks, as its owner sees it: set here, shown to the model, and changed by the model's `todo` tool. */
export class SessionTodos {
  readonly #list: TodoList;
  readonly #tools: ToolSet;

  constructor(list: TodoList, tools: ToolSet) {
    this.#list = list;
    this.#tools = tools;
  }

  /** The list as it is. Never changed, only replaced. */
  get phases(): TodoPhase[] {
    return this.#list.phases;
  }

  /**
   * Replaces the list and shows it to the model, which from now on can change it with the `todo` tool.
   *
   * @returns The list with missing ids filled in.
   * @throws {SessionError} `invalid_input`; the list stays as it was.
   */
  async set(phases: readonly TodoPhaseInput[]): Promise<TodoPhase[]> {
    const normalised = await this.#list.set(phases, "host");
    await this.#offerTool();
    return normalised;
  }

  /** Takes over the list that the active branch of the conversation has. */
  async restore({ conversation }: Transcript): Promise<void> {
    this.#list.restore(await conversation.readCustom(todoEntryType));
    if (this.#list.phases.length > 0) await this.#offerTool();
  }

  async #offerTool(): Promise<void> {
    const { createTodoTool } = await import("../../tools/todo/definition.ts");
    this.#tools.add(createTodoTool(this.#list));
  }
}
