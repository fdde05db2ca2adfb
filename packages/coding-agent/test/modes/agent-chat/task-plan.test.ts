import { expect, test } from "vitest";
import { TaskPlan } from "../../../src/modes/agent-chat/task-plan.ts";
import type { TodoPhase, TodoStatus } from "../../../src/protocol/data.ts";

/** Tasks of two phases by `content: status`; ids follow the content. */
function list(...tasks: [content: string, status: TodoStatus][]): TodoPhase[] {
  const made = tasks.map(([content, status]) => ({ id: `task-${content}`, content, status }));
  return [
    { id: "phase-1", name: "First", tasks: made.slice(0, 1) },
    { id: "phase-2", name: "Second", tasks: made.slice(1) },
  ];
}

const outline = (plan: TaskPlan, phases: TodoPhase[]) =>
  plan.update(phases).map(({ event, data }) => {
    const tasks = (data as { tasks: { id: number; description: string; completed: boolean }[] }).tasks;
    const shown = tasks.map(({ id, description, completed }) => `${id} ${description}${completed ? " ✓" : ""}`).join(", ");
    const { task_id, completed } = data as { task_id?: number; completed?: boolean };
    return event === "task_plan" ? `plan: ${shown}` : `${task_id} ${completed}: ${shown}`;
  });

test("the first list is a plan; then each status that changes is progress, and other tasks are another plan", () => {
  const plan = new TaskPlan([]);
  expect(outline(plan, list(["a", "in_progress"], ["b", "pending"]))).toEqual(["plan: 1 a, 2 b"]);
  expect(outline(plan, list(["a", "in_progress"], ["b", "pending"]))).toEqual([]);
  expect(outline(plan, list(["a", "completed"], ["b", "in_progress"]))).toEqual(["1 true: 1 a ✓, 2 b", "2 false: 1 a ✓, 2 b"]);
  expect(outline(plan, list(["a", "completed"], ["c", "pending"], ["b", "completed"]))).toEqual([
    "plan: 1 a ✓, 2 c, 3 b ✓",
    "3 true: 1 a ✓, 2 c, 3 b ✓",
  ]);
  expect(outline(plan, list(["a", "completed"], ["c", "abandoned"], ["b", "completed"]))).toEqual(["2 false: 1 a ✓, 2 c, 3 b ✓"]);
  expect(outline(plan, [])).toEqual(["plan: "]);
});

test("the first list of a chat is a plan also when the session had it before", () => {
  const before = list(["a", "in_progress"], ["b", "pending"]);
  const plan = new TaskPlan(before);
  expect(outline(plan, list(["a", "completed"], ["b", "pending"]))).toEqual(["plan: 1 a ✓, 2 b", "1 true: 1 a ✓, 2 b"]);
});

test("many tasks of a long list that change at once are told with the plan, which is not repeated for each", () => {
  const all = (status: TodoStatus) => list(...Array.from({ length: 1000 }, (_, n): [string, TodoStatus] => [`${n}`, status]));
  const plan = new TaskPlan([]);
  plan.update(all("pending"));
  expect(plan.update(all("completed")).map(({ event }) => event)).toEqual(["task_plan"]);
});
