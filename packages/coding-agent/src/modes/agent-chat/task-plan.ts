import type { TodoPhase, TodoTask } from "../../protocol/data.ts";
import type { ChatEvent, Task } from "./protocol.ts";

/** Maximum number of tasks in all `task_progress` events of one change; each event repeats the list. */
const mostRepeated = 10_000;

/** Converts changes of the todo list into events. The tasks are numbered across all phases. */
export class TaskPlan {
  #known: readonly TodoTask[];
  #isPlanSent = false;

  /** @param phases - The list before the chat. */
  constructor(phases: readonly TodoPhase[]) {
    this.#known = tasksOf(phases);
  }

  /** The events for a new list: the plan if the tasks differ, then the progress of each task with a new status. */
  update(phases: readonly TodoPhase[]): ChatEvent[] {
    const before = this.#known;
    const now = tasksOf(phases);
    this.#known = now;
    const tasks = now.map(toTask);
    const isSamePlan = before.length === now.length && now.every(({ content }, index) => content === before[index]?.content);
    const plan: ChatEvent = { event: "task_plan", data: { tasks } };
    const events: ChatEvent[] = this.#isPlanSent && isSamePlan ? [] : [plan];
    this.#isPlanSent = true;
    const oldStatuses = new Map(before.map(({ id, status }) => [id, status]));
    const changed = [...now.entries()].filter(([, { id, status }]) => (oldStatuses.get(id) ?? status) !== status);
    // Each progress event would repeat the list; one plan contains the same information.
    if (changed.length * tasks.length > mostRepeated) return [plan];
    for (const [index, { status }] of changed) {
      events.push({ event: "task_progress", data: { task_id: index + 1, completed: status === "completed", tasks } });
    }
    return events;
  }
}

function tasksOf(phases: readonly TodoPhase[]): TodoTask[] {
  return phases.flatMap(({ tasks }) => tasks);
}

function toTask({ content, status }: TodoTask, index: number): Task {
  return { id: index + 1, description: content, completed: status === "completed", status };
}
