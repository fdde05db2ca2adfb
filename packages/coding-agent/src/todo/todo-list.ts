import { isDeepStrictEqual } from "node:util";
import type { AgentMessage } from "@pikit/agent";
import type { TodoPhase, TodoPhaseInput } from "../protocol/data.ts";
import type { TodoEvent } from "../protocol/events.ts";
import type { CustomMessage } from "../protocol/messages.ts";
import { isDone, readStoredPhases, tasksOf } from "./todo-phases.ts";
import { createListMessage, findShownPhases } from "./todo-text.ts";

/** The type of the custom entries that store the list; the last one of the active branch counts. */
export const todoEntryType = "pikit.todos";

/** How often a run may be reminded. */
const maxReminders = 3;

/** Who has set a list: only a model is reminded of its own. */
export type TodoAuthor = "model" | "host";

export interface TodoListOptions {
  /** Stores a custom entry on the active branch. */
  append(customType: string, data: unknown): Promise<void>;
  emit(event: TodoEvent): void | Promise<void>;
}

/** The list of what is to be done in a session: set by a host or by the model's todo tool, shown to the model, stored along the branch. */
export class TodoList {
  readonly #options: TodoListOptions;
  #phases: TodoPhase[] = [];
  #author: TodoAuthor = "host";
  #reminders = 0;

  constructor(options: TodoListOptions) {
    this.#options = options;
  }

  /** The list as it is. Never changed, only replaced. */
  get phases(): TodoPhase[] {
    return this.#phases;
  }

  /**
   * Replaces the list and resolves with it, normalised, when it is stored.
   *
   * @throws {SessionError} `invalid_input`; the list stays as it was.
   */
  async set(input: readonly TodoPhaseInput[], author: TodoAuthor): Promise<TodoPhase[]> {
    const { normalizePhases } = await import("./normalize-phases.ts");
    const phases = normalizePhases(input, this.#phases);
    await this.#replace(phases, author);
    return phases;
  }

  /** Takes the list over from the data of a stored entry; from undefined, an empty one. */
  restore(data: unknown): void {
    this.#phases = readStoredPhases(data);
    this.#author = (data as { setBy?: unknown } | null | undefined)?.setBy === "model" ? "model" : "host";
    this.#reminders = 0;
  }

  /** Begins the run of a prompt: it has its own reminders, and a list that is done is cleared. */
  async startRun(): Promise<void> {
    this.#reminders = 0;
    const tasks = tasksOf(this.#phases);
    if (tasks.length === 0 || !tasks.every(isDone)) return;
    await this.#replace([], "host");
    await this.#options.emit({ type: "todo_auto_clear" });
  }

  /** Whether a run that would end here has to be reminded. */
  get isReminderDue(): boolean {
    return this.#author === "model" && this.#reminders < maxReminders && this.#unfinished().length > 0;
  }

  /** Tells of a reminder and returns the message to go on with. Only while one is due. */
  async remind(): Promise<CustomMessage> {
    this.#reminders += 1;
    const attempt = this.#reminders;
    await this.#options.emit({ type: "todo_reminder", todos: this.#unfinished(), attempt, maxAttempts: maxReminders });
    const { createReminder } = await import("./todo-reminder.ts");
    return createReminder(this.#phases, attempt, maxReminders);
  }

  /**
   * The message that shows the list to a model that does not know it as it is: a host has set it, another branch was entered, or the
   * message that showed it was compacted.
   *
   * @param context - What the model reads.
   * @returns Undefined when the context shows the list already, or when there is nothing to show.
   */
  notice(context: readonly AgentMessage[]): CustomMessage | undefined {
    const shown = findShownPhases(context) ?? [];
    // A list that is done and was cleared needs no word.
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
