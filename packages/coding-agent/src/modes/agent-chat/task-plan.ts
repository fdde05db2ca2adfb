import type { TodoPhase, TodoTask } from "../../protocol/data.ts";
import type { ChatEvent, Task } from "./protocol.ts";

/** Tasks that the progress of one change may repeat. */
const mostRepeated = 10_000;

/** Tells what the todo tool did to the list, as tasks that are numbered over all phases. */
export class TaskPlan {
  #known: readonly TodoTask[];
  #isTold = false;

  /** @param phases - The list as it is before the chat. */
  constructor(phases: readonly TodoPhase[]) {
    this.#known = tasksOf(phases);
  }

  /** What to tell of a new list: the plan when it is another one, then each task of it whose status has changed. */
  update(phases: readonly TodoPhase[]): ChatEvent[] {
    const before = this.#known;
    const now = tasksOf(phases);
    this.#known = now;
    const tasks = now.map(toTask);
    const isSamePlan = before.length === now.length && now.every(({ content }, index) => content === before[index]?.content);
    const plan: ChatEvent = { event: "task_plan", data: { tasks } };
    const events: ChatEvent[] = this.#isTold && isSamePlan ? [] : [plan];
    this.#isTold = true;
    const oldStatuses = new Map(before.map(({ id, status }) => [id, status]));
    const changed = [...now.entries()].filter(([, { id, status }]) => (oldStatuses.get(id) ?? status) !== status);
    // Each of them would repeat the list; the plan says the same.
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
