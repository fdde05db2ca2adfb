import { createRandom } from "./random.ts";

/** A prompt of the demo. Its model writes some notes, one a tool call, and then says that it is done. */
export interface Task {
  /** Unique, and a part of the prompt: `s0017-2`. */
  id: string;
  sessionId: string;
  /** The number of notes, which is the number of tool calls if no process ends. */
  notes: number;
}

/** Creates the tasks: one for each session, and a second one for a quarter of them. */
export function createTasks(sessions: number, seed: number): Task[] {
  const random = createRandom(seed);
  const width = String(sessions).length;
  const first = Array.from({ length: sessions }, (_, index) => {
    const name = `s${String(index + 1).padStart(width, "0")}`;
    return { id: `${name}-1`, sessionId: `fleet-${name}`, notes: random.integer(0, 3) };
  });
  const second = first
    .filter(() => random.integer(1, 4) === 1)
    .map(({ id, sessionId }) => ({ id: id.replace(/1$/, "2"), sessionId, notes: random.integer(0, 3) }));
  return [...first, ...second];
}

/** The prompt of a task, which `readTask` reads in the model's requests. */
export function promptOf({ id, notes }: Task): string {
  return `Task ${id}: write ${notes} notes, then say that you are done.`;
}

const promptPattern = /^Task (\S+): write (\d+) notes/;

/** The task of a prompt; undefined for another text. */
export function readTask(prompt: string): Pick<Task, "id" | "notes"> | undefined {
  const [, id, notes] = promptPattern.exec(prompt) ?? [];
  return id === undefined ? undefined : { id, notes: Number(notes) };
}

/** The last answer of a task. */
export function finalAnswerOf(taskId: string): string {
  return `Task ${taskId} is done.`;
}
