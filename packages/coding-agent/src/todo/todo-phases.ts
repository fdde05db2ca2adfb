import type { TodoPhase, TodoStatus, TodoTask } from "../protocol/data.ts";

const statuses: readonly unknown[] = ["pending", "in_progress", "completed", "abandoned"] satisfies TodoStatus[];

/** Whether nothing has to be done for a task any more. */
export function isDone({ status }: TodoTask): boolean {
  return status === "completed" || status === "abandoned";
}

/** The tasks of a list, in order. */
export function tasksOf(phases: readonly TodoPhase[]): TodoTask[] {
  return phases.flatMap(({ tasks }) => tasks);
}

/** A list as it was stored. What is no list gives an empty one: a session must open whatever another program wrote into it. */
export function readStoredPhases(data: unknown): TodoPhase[] {
  const phases: unknown = (data as { phases?: unknown } | null | undefined)?.phases;
  return Array.isArray(phases) && phases.every(isPhase) ? phases : [];
}

function isPhase(value: unknown): value is TodoPhase {
  const { id, name, tasks } = (value ?? {}) as Partial<Record<keyof TodoPhase, unknown>>;
  return typeof id === "string" && typeof name === "string" && Array.isArray(tasks) && tasks.every(isTask);
}

function isTask(value: unknown): value is TodoTask {
  const { id, content, status } = (value ?? {}) as Partial<Record<keyof TodoTask, unknown>>;
  return typeof id === "string" && typeof content === "string" && statuses.includes(status);
}
