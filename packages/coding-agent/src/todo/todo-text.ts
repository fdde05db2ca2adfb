import type { AgentMessage } from "@pikit/agent";
import type { TodoPhase, TodoStatus, TodoTask } from "../protocol/data.ts";
import type { CustomMessage } from "../protocol/messages.ts";
import { isDone, readStoredPhases, tasksOf } from "./todo-phases.ts";

/** The `customType` of messages that show the list to the model. */
const listMessageType = "todo-list";
/** The `customType` of reminders. */
export const reminderMessageType = "todo-reminder";

/** The details of both messages, and of results of the todo tool, for user interfaces. */
export interface TodoDetails {
  phases: TodoPhase[];
}

const marks: Record<TodoStatus, string> = { pending: "[ ]", in_progress: "[>]", completed: "[x]", abandoned: "[-]" };

/** A list as text for models and users, one line for each phase and task. */
function formatPhases(phases: readonly TodoPhase[]): string {
  return phases.map(({ name, tasks }) => [`${oneLine(name)}:`, ...tasks.map(formatTask)].join("\n")).join("\n");
}

/** A list with its count and the meaning of its marks. */
export function describePhases(phases: readonly TodoPhase[]): string {
  const tasks = tasksOf(phases);
  if (tasks.length === 0) return "The todo list is empty.";
  const done = tasks.filter(isDone).length;
  return `Todo list, ${done} of ${tasks.length} done ([ ] pending, [>] in progress, [x] completed, [-] abandoned):\n${formatPhases(phases)}`;
}

/** The message that shows the list to a model. */
export function createListMessage(phases: TodoPhase[]): CustomMessage {
  const advice =
    phases.length === 0
      ? "The list was cleared; there is nothing left to do of it."
      : "Work along this list, and keep it up to date with the todo tool: a task is in_progress before you begin it, and completed as soon as it is.";
  return toTodoMessage(listMessageType, `${describePhases(phases)}\n\n${advice}`, phases, false);
}

/** The list that these messages last showed, or that the model last set in them; undefined if there is none. */
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

/** A task as text for models and users: one line. */
export function formatTask({ content, status }: TodoTask): string {
  return `- ${marks[status]} ${oneLine(content)}`;
}

/** Removes line breaks, so that a task cannot look like two. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
