import { SessionError } from "../errors.ts";
import type { TodoPhase, TodoPhaseInput } from "../protocol/data.ts";
import { tasksOf } from "./todo-phases.ts";

/**
 * Normalises a list: trims texts, fills in statuses and ids, removes unknown fields. An item without an id gets its id from the previous
 * list, if it was there (phases are compared by name, tasks by content); otherwise the lowest free one (`phase-1`, `task-1`).
 *
 * @throws {SessionError} `invalid_input` for an empty name or content, or an id that is used twice. The message names the place.
 */
export function normalizePhases(input: readonly TodoPhaseInput[], before: readonly TodoPhase[]): TodoPhase[] {
  const tasksBefore = tasksOf(before).map(({ id, content }) => ({ id, text: content }));
  const phaseIds = new IdGiver(
    "phase",
    input.map(({ id }, index) => ({ id, place: `phases[${index}]` })),
    before.map(({ id, name }) => ({ id, text: name })),
  );
  const taskIds = new IdGiver(
    "task",
    input.flatMap(({ tasks }, index) => tasks.map(({ id }, number) => ({ id, place: `phases[${index}].tasks[${number}]` }))),
    tasksBefore,
  );
  const named = input.map(({ id, name, tasks }, index) => ({
    id,
    name: readText(name, `phases[${index}].name`),
    tasks: tasks.map((task, number) => ({ ...task, content: readText(task.content, `phases[${index}].tasks[${number}].content`) })),
  }));
  // Old ids first, so that a new item above an old one does not take its number.
  for (const { id, name, tasks } of named) {
    if (!isGiven(id)) phaseIds.keep(name);
    for (const task of tasks) if (!isGiven(task.id)) taskIds.keep(task.content);
  }
  return named.map(({ id, name, tasks }) => ({
    id: id ?? phaseIds.give(name),
    name,
    tasks: tasks.map(({ id: taskId, content, status }) => ({
      id: taskId ?? taskIds.give(content),
      content,
      status: status ?? "pending",
    })),
  }));
}

/** Assigns ids to items without one. */
class IdGiver {
  readonly #prefix: string;
  readonly #used = new Set<string>();
  /** Free ids of the previous list, by the text of their items. */
  readonly #before = new Map<string, string[]>();
  readonly #kept = new Map<string, string[]>();
  /** All lower numbers are used. */
  #next = 1;

  constructor(prefix: string, given: { id: string | null | undefined; place: string }[], before: { id: string; text: string }[]) {
    this.#prefix = prefix;
    for (const { id, place } of given) {
      if (!isGiven(id)) continue;
      if (id.trim() === "") throw invalid(`${place}.id is empty`, "Omit it, and an id is assigned");
      if (this.#used.has(id)) throw invalid(`the id ${JSON.stringify(id)} of ${place} is used twice`, "Use different ids, or none");
      this.#used.add(id);
    }
    for (const { id, text } of before) {
      if (!this.#used.has(id)) addTo(this.#before, text, id);
    }
  }

  /** Reserves the old id of this text, if there is one. */
  keep(text: string): void {
    const id = this.#before.get(text)?.shift();
    if (id === undefined) return;
    this.#used.add(id);
    addTo(this.#kept, text, id);
  }

  /** The reserved id of this text, else a new one. */
  give(text: string): string {
    const kept = this.#kept.get(text)?.shift();
    if (kept !== undefined) return kept;
    while (this.#used.has(`${this.#prefix}-${this.#next}`)) this.#next += 1;
    const id = `${this.#prefix}-${this.#next}`;
    this.#used.add(id);
    return id;
  }
}

function addTo(ids: Map<string, string[]>, text: string, id: string): void {
  const list = ids.get(text);
  if (list) list.push(id);
  else ids.set(text, [id]);
}

/** An optional field that is null counts as absent. */
function isGiven(id: string | null | undefined): id is string {
  return id !== undefined && id !== null;
}

function readText(value: string, place: string): string {
  const text = value.trim();
  if (text === "") throw invalid(`${place} is empty`, "Enter a text");
  return text;
}

function invalid(reason: string, advice: string): SessionError {
  return new SessionError("invalid_input", `The todo list cannot be used: ${reason}. ${advice}.`);
}
