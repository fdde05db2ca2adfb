import type { Facts, StoredEntry, StoredSession } from "./facts.ts";
import { finalAnswerOf, promptOf } from "./tasks.ts";

/** The problems that were found, each as a sentence. */
export interface Problems {
  /** A message that was reported is not stored, or a task has not finished. */
  lost: string[];
  /** A session was written by two workers at a time, or a prompt or a tool call ran twice. */
  twice: string[];
}

/** Compares what was observed from outside with what the database has. */
export function findProblems(facts: Facts): Problems {
  const sessions = new Map(facts.sessions.map((session) => [session.id, session]));
  return {
    lost: [...lostMessages(facts, sessions), ...facts.sessions.flatMap(gapsOf), ...unfinishedTasks(facts, sessions)],
    twice: [
      ...facts.sessions.flatMap(forksOf),
      ...mixedWriters(facts, sessions),
      ...repeatedPrompts(facts, sessions),
      ...repeatedCalls(facts),
      ...unexplainedAnswers(facts),
    ],
  };
}

/** Messages that a worker has reported, and that the session does not have. */
function lostMessages({ told }: Facts, sessions: ReadonlyMap<string, StoredSession>): string[] {
  const stored = new Map([...sessions].map(([id, { entries }]) => [id, new Set(entries.map(({ hash }) => hash))]));
  return told
    .filter(({ session, hash }) => !stored.get(session)?.has(hash))
    .map(({ session, worker, hash }) => `Session ${session} has no message ${hash}, which ${worker} has reported.`);
}

/** Missing or repeated positions. */
function gapsOf({ id, length, entries }: StoredSession): string[] {
  const isWhole = entries.length === length && entries.every(({ position }, index) => position === index);
  if (isWhole) return [];
  const positions = entries.map(({ position }) => position).join(", ");
  return [`Session ${id} should have ${length} entries at the positions 0 to ${length - 1}, but has ${positions}.`];
}

/** Entries that do not follow the one before them. Nothing in the demo begins a branch, so it was written by two. */
function forksOf({ id, entries }: StoredSession): string[] {
  return entries.flatMap((entry, index) => {
    const previous = entries[index - 1]?.id ?? null;
    if (entry.parentId === previous) return [];
    return [`Session ${id}: entry ${entry.id} at position ${entry.position} follows ${entry.parentId} instead of ${previous}.`];
  });
}

/**
 * Each opening of a session writes a part of it, and when another worker has opened it, the earlier one writes no more. So the messages that one
 * opening has reported lie between those of others.
 */
function mixedWriters({ told }: Facts, sessions: ReadonlyMap<string, StoredSession>): string[] {
  return [...Map.groupBy(told, ({ session }) => session)].flatMap(([id, messages]) => {
    const positions = new Map(sessions.get(id)?.entries.map(({ hash, position }) => [hash, position]));
    const runs = new Map<string, { first: number; last: number }>();
    for (const { run, hash } of messages) {
      const position = positions.get(hash);
      if (position === undefined) continue;
      const { first, last } = runs.get(run) ?? { first: position, last: position };
      runs.set(run, { first: Math.min(first, position), last: Math.max(last, position) });
    }
    const inOrder = [...runs].sort(([, a], [, b]) => a.first - b.first);
    return inOrder.flatMap(([run, { first }], index) => {
      const [earlier, bounds] = inOrder[index - 1] ?? [];
      if (bounds === undefined || bounds.last < first) return [];
      return [`Session ${id} was written by ${earlier} up to position ${bounds.last}, and by ${run} from position ${first}.`];
    });
  });
}

/** Prompts that are in their session more than once, or have more than one last answer. */
function repeatedPrompts({ tasks }: Facts, sessions: ReadonlyMap<string, StoredSession>): string[] {
  return tasks.flatMap((task) => {
    const entries = sessions.get(task.sessionId)?.entries ?? [];
    const prompts = entries.filter(({ role, text }) => role === "user" && text === promptOf(task)).length;
    const finals = entries.filter(isAnswerOf(task.id)).length;
    return [
      ...(prompts > 1 ? [`The prompt of task ${task.id} is in its session ${prompts} times.`] : []),
      ...(finals > 1 ? [`Task ${task.id} ran to its end ${finals} times.`] : []),
    ];
  });
}

/** Calls of a tool that took effect more than once. */
function repeatedCalls({ ledger }: Facts): string[] {
  return [...Map.groupBy(ledger, ({ call }) => call)]
    .filter(([, lines]) => lines.length > 1)
    .map(([call, lines]) => `The tool call ${call} ran in ${lines.map(({ worker }) => worker).join(" and in ")}.`);
}

/**
 * Last answers that the model gave again without a reason. A worker that dies before it has stored an answer leaves a run without one, so the
 * model is asked again; otherwise it is asked once.
 */
function unexplainedAnswers({ answers, disturbedWorkers }: Facts): string[] {
  const finals = answers.filter(({ isFinal }) => isFinal);
  return [...Map.groupBy(finals, ({ task }) => task)].flatMap(([task, sent]) =>
    sent
      .slice(0, -1)
      .filter(({ worker }) => !disturbedWorkers.has(worker))
      .map(({ worker }) => `The model gave ${worker} the last answer of task ${task}, and had to give it again.`),
  );
}

/** Tasks without a stored answer, or whose job has not ended well. */
function unfinishedTasks({ tasks, jobs }: Facts, sessions: ReadonlyMap<string, StoredSession>): string[] {
  const byTask = new Map(jobs.map((job) => [job.task, job]));
  return tasks.flatMap(({ id, sessionId }) => {
    const job = byTask.get(id);
    const isAnswered = sessions.get(sessionId)?.entries.some(isAnswerOf(id)) ?? false;
    return [
      ...(isAnswered ? [] : [`Task ${id} has no last answer in session ${sessionId}.`]),
      ...(job?.outcome === "completed"
        ? []
        : [`The job of task ${id} is ${job?.state ?? "missing"}: ${job?.outcome ?? "no result"}.`]),
    ];
  });
}

/** Finds the last answer of a task, if it is complete. An answer that was aborted may have all of its text. */
function isAnswerOf(taskId: string): (entry: StoredEntry) => boolean {
  return ({ role, text, stopReason }) => role === "assistant" && text === finalAnswerOf(taskId) && stopReason === "stop";
}
