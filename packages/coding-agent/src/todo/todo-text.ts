import type { AgentMessage } from "@pikit/agent";
import type { TodoPhase, TodoStatus, TodoTask } from "../protocol/data.ts";
import type { CustomMessage } from "../protocol/messages.ts";
import { isDone, readStoredPhases, tasksOf } from "./todo-phases.ts";

/** How a message is marked that shows the list as somebody else has set it. */
export const listMessageType = "todo-list";
/** How a message is marked that reminds of tasks that are not done. */
export const reminderMessageType = "todo-reminder";

/** What both messages, and the results of the todo tool, keep for user interfaces. */
export interface TodoDetails {
  phases: TodoPhase[];
}

const marks: Record<TodoStatus, string> = { pending: "[ ]", in_progress: "[>]", completed: "[x]", abandoned: "[-]" };

/** A list as models and people read it, a line each. */
export function formatPhases(phases: readonly TodoPhase[]): string {
  return phases.map(({ name, tasks }) => [`${oneLine(name)}:`, ...tasks.map(formatTask)].join("\n")).join("\n");
}

/** A list with its count and the meaning of its marks. */
export function describePhases(phases: readonly TodoPhase[]): string {
  const tasks = tasksOf(phases);
  if (tasks.length === 0) return "The todo list is empty.";
  const done = tasks.filter(isDone).length;
  return `Todo list, ${done} of ${tasks.length} done ([ ] pending, [>] in progress, [x] completed, [-] abandoned):\n${formatPhases(phases)}`;
}

/** Shows the list to a model that has not seen it: somebody else has set it, or the message that showed it is gone. */
export function createListMessage(phases: TodoPhase[]): CustomMessage {
  const advice =
    phases.length === 0
      ? "The list was cleared; there is nothing left to do of it."
      : "Work along this list, and keep it up to date with the todo tool: a task is in_progress before you begin it, and completed as soon as it is.";
  return toTodoMessage(listMessageType, `${describePhases(phases)}\n\n${advice}`, phases, false);
}

/** The list that the model was last shown in these messages, or has set itself; undefined when there is none in them. */
export function findShownPhases(messages: readonly AgentMessage[]): TodoPhase[] | undefined {
  const last = messages.findLast(
    (message) =>
      (message.role === "custom" && (message.customType === listMessageType || message.customType === reminderMessageType)) ||
      (message.role === "toolResult" && message.toolName === "todo" && !message.isError),
  );
  return last && "details" in last ? readStoredPhases(last.details) : undefined;
}

/** A message about the list. */
export function toTodoMessage(customType: string, content: string, phases: TodoPhase[], display: boolean): CustomMessage {
  const details: TodoDetails = { phases };
  return { role: "custom", customType, content, display, details, timestamp: Date.now() };
}

/** A task as models and people read it: one line. */
export function formatTask({ content, status }: TodoTask): string {
  return `- ${marks[status]} ${oneLine(content)}`;
}

/** A line break in a task must not look like another task. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
