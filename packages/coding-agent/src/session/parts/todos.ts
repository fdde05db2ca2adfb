import type { TodoPhase, TodoPhaseInput } from "../../protocol/data.ts";
import { type TodoList, todoEntryType } from "../../todo/todo-list.ts";
import type { ToolSet } from "./tool-set.ts";
import type { Transcript } from "./transcript.ts";

/** The session's list of tasks. The owner of the session sets it, the model sees it and changes it with the `todo` tool. */
export class SessionTodos {
  readonly #list: TodoList;
  readonly #tools: ToolSet;

  constructor(list: TodoList, tools: ToolSet) {
    this.#list = list;
    this.#tools = tools;
  }

  /** The current list. It is never changed, only replaced. */
  get phases(): TodoPhase[] {
    return this.#list.phases;
  }

  /**
   * Replaces the list and shows it to the model. From now on the model has the `todo` tool.
   *
   * @returns The list with missing ids filled in.
   * @throws {SessionError} `invalid_input`; the list does not change then.
   */
  async set(phases: readonly TodoPhaseInput[]): Promise<TodoPhase[]> {
    const normalised = await this.#list.set(phases, "host");
    await this.#offerTool();
    return normalised;
  }

  /** Loads the list of the active branch of the conversation. */
  async restore({ conversation }: Transcript): Promise<void> {
    this.#list.restore(await conversation.readCustom(todoEntryType));
    if (this.#list.phases.length > 0) await this.#offerTool();
  }

  async #offerTool(): Promise<void> {
    const { createTodoTool } = await import("../../tools/todo/definition.ts");
    this.#tools.add(createTodoTool(this.#list));
  }
}
