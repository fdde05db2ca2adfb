import type { TodoPhase, TodoStatus, TodoTask } from "../protocol/data.ts";

const statuses: readonly unknown[] = ["pending", "in_progress", "completed", "abandoned"] satisfies TodoStatus[];

/** Whether a task needs no more work. */
export function isDone({ status }: TodoTask): boolean {
  return status === "completed" || status === "abandoned";
}

/** The tasks of a list, in order. */
export function tasksOf(phases: readonly TodoPhase[]): TodoTask[] {
  return phases.flatMap(({ tasks }) => tasks);
}

/** A stored list. Invalid data gives an empty list: a session must open even if another program wrote into it. */
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
