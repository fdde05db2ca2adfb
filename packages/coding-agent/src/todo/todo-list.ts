import { isDeepStrictEqual } from "node:util";
import type { AgentMessage } from "@pikit/agent";
import type { TodoPhase, TodoPhaseInput } from "../protocol/data.ts";
import type { TodoEvent } from "../protocol/events.ts";
import type { CustomMessage } from "../protocol/messages.ts";
import { isDone, readStoredPhases, tasksOf } from "./todo-phases.ts";
import { createListMessage, findShownPhases } from "./todo-text.ts";

/** The type of the custom entries that store the list. The last one on the active branch counts. */
export const todoEntryType = "pikit.todos";

/** Maximum reminders in a run. */
const maxReminders = 3;

/** The author of a list. A model is reminded only of its own list. */
export type TodoAuthor = "model" | "host";

export interface TodoListOptions {
  /** Stores a custom entry on the active branch. */
  append(customType: string, data: unknown): Promise<void>;
  emit(event: TodoEvent): void | Promise<void>;
}

/** The task list of a session. A host or the model's todo tool sets it. It is shown to the model and stored on the branch. */
export class TodoList {
  readonly #options: TodoListOptions;
  #phases: TodoPhase[] = [];
  #author: TodoAuthor = "host";
  #reminders = 0;

  constructor(options: TodoListOptions) {
    this.#options = options;
  }

  /** The current list. It is never changed, only replaced. */
  get phases(): TodoPhase[] {
    return this.#phases;
  }

  /**
   * Replaces the list. Resolves with the normalised list when it is stored.
   *
   * @throws {SessionError} `invalid_input`; the list does not change then.
   */
  async set(input: readonly TodoPhaseInput[], author: TodoAuthor): Promise<TodoPhase[]> {
    const { normalizePhases } = await import("./normalize-phases.ts");
    const phases = normalizePhases(input, this.#phases);
    await this.#replace(phases, author);
    return phases;
  }

  /** Loads the list from the data of a stored entry. Undefined gives an empty list. */
  restore(data: unknown): void {
    this.#phases = readStoredPhases(data);
    this.#author = (data as { setBy?: unknown } | null | undefined)?.setBy === "model" ? "model" : "host";
    this.#reminders = 0;
  }

  /** Called before the run of a prompt: resets the number of reminders, and clears a list that is done. */
  async startRun(): Promise<void> {
    this.#reminders = 0;
    const tasks = tasksOf(this.#phases);
    if (tasks.length === 0 || !tasks.every(isDone)) return;
    await this.#replace([], "host");
    await this.#options.emit({ type: "todo_auto_clear" });
  }

  /** Whether a run that would end now needs a reminder. */
  get isReminderDue(): boolean {
    return this.#author === "model" && this.#reminders < maxReminders && this.#unfinished().length > 0;
  }

  /** Emits a reminder event and returns the message that continues the run. Call it only while `isReminderDue`. */
  async remind(): Promise<CustomMessage> {
    this.#reminders += 1;
    const attempt = this.#reminders;
    await this.#options.emit({ type: "todo_reminder", todos: this.#unfinished(), attempt, maxAttempts: maxReminders });
    const { createReminder } = await import("./todo-reminder.ts");
    return createReminder(this.#phases, attempt, maxReminders);
  }

  /**
   * The message that shows the list to a model that does not know its current state: a host has set it, the branch has changed, or the
   * message that showed it was compacted.
   *
   * @param context - The messages that the model gets.
   * @returns Undefined if the context already shows the list, or if there is nothing to show.
   */
  notice(context: readonly AgentMessage[]): CustomMessage | undefined {
    const shown = findShownPhases(context) ?? [];
    // No message for a list that was done and is now cleared.
    const isNews = this.#phases.length > 0 ? !isDeepStrictEqual(shown, this.#phases) : tasksOf(shown).some((task) => !isDone(task));
    return isNews ? createListMessage(this.#phases) : undefined;
  }

  #unfinished() {
    return tasksOf(this.#phases).filter((task) => !isDone(task));
  }

  async #replace(phases: TodoPhase[], author: TodoAuthor): Promise<void> {
    this.#phases = phases;
    this.#author = author;
    await this.#options.append(todoEntryType, { phases, setBy: author });
  }
}
