import type { TodoPhase, TodoTask } from "../../protocol/data.ts";
import type { ChatEvent, Task } from "./protocol.ts";

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
    const events: ChatEvent[] = this.#isTold && isSamePlan ? [] : [{ event: "task_plan", data: { tasks } }];
    this.#isTold = true;
    for (const [index, { id, status }] of now.entries()) {
      const old = before.find((task) => task.id === id);
      if (!old || old.status === status) continue;
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
