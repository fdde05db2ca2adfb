import type { TodoPhase } from "../protocol/data.ts";
import type { CustomMessage } from "../protocol/messages.ts";
import { isDone, tasksOf } from "./todo-phases.ts";
import { formatTask, reminderMessageType, toTodoMessage } from "./todo-text.ts";

/** The message for a model that stopped before its list was done. */
export function createReminder(phases: TodoPhase[], attempt: number, maxAttempts: number): CustomMessage {
  const open = tasksOf(phases).filter((task) => !isDone(task));
  const what = open.length === 1 ? "1 task of your todo list is" : `${open.length} tasks of your todo list are`;
  const advice =
    "Go on with them. If one is done or not wanted any more, say so with the todo tool; if you need an answer from the user first, ask and stop.";
  const text = `You stopped, but ${what} not done:\n${open.map(formatTask).join("\n")}\n\n${advice} (Reminder ${attempt} of ${maxAttempts})`;
  return toTodoMessage(reminderMessageType, text, phases, true);
}
