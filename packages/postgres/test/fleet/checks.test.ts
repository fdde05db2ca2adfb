import { expect, test } from "vitest";
import { findProblems } from "../../demo/checks.ts";
import type { Facts, StoredEntry, StoredSession, ToldMessage } from "../../demo/facts.ts";
import { finalAnswerOf, promptOf, type Task } from "../../demo/tasks.ts";

const task: Task = { id: "s1-1", sessionId: "one", notes: 1 };

/** Each entry follows the one before it, and its hash is `h` and its position. */
function chain(messages: readonly Pick<StoredEntry, "role" | "text" | "stopReason">[]): StoredEntry[] {
  return messages.map((message, position) => ({
    ...{ position, id: `e${position}`, parentId: position === 0 ? null : `e${position - 1}`, hash: `h${position}` },
    ...message,
  }));
}

const entries = chain([
  { role: "user", text: promptOf(task) },
  { role: "assistant", text: "" },
  { role: "toolResult", text: "The note is written." },
  { role: "assistant", text: finalAnswerOf(task.id), stopReason: "stop" },
]);
const session: StoredSession = { id: "one", length: 4, entries };

function toldBy(worker: string, run: string, positions: readonly number[]): ToldMessage[] {
  return positions.map((position) => ({ worker, run, session: "one", hash: `h${position}` }));
}

/** A run in which w1 dies in the tool call, and w2 continues. */
const good: Facts = {
  tasks: [task],
  told: [...toldBy("w1", "r1", [0, 1]), ...toldBy("w2", "r2", [2, 3])],
  ledger: [{ worker: "w1", call: "s1-1.1.1", task: "s1-1", note: 1 }],
  answers: [
    { task: "s1-1", isFinal: false, worker: "w1" },
    { task: "s1-1", isFinal: true, worker: "w2" },
  ],
  sessions: [session],
  jobs: [{ task: "s1-1", state: "ended", outcome: "completed" }],
  disturbedWorkers: new Set(["w1"]),
};

test("a run in which everything is stored once has no problems", () => {
  expect(findProblems(good)).toEqual({ lost: [], twice: [] });
});

/** The facts with this session in place of the good one. */
function withSession(changed: Partial<StoredSession>): Partial<Facts> {
  return { sessions: [{ ...session, ...changed }] };
}

const secondPrompt = { position: 4, id: "e4", parentId: "e3", role: "user", text: promptOf(task) };
const secondFinal = { position: 5, id: "e5", parentId: "e4", role: "assistant", text: finalAnswerOf(task.id), stopReason: "stop" };

const losses: [name: string, changed: Partial<Facts>, problem: string][] = [
  [
    "a message that was reported and is not stored",
    { told: [...good.told, ...toldBy("w2", "r2", [9])] },
    "Session one has no message h9, which w2 has reported.",
  ],
  [
    "a session that is not stored at all",
    { told: toldBy("w1", "r1", [0]).map((told) => ({ ...told, session: "two" })) },
    "Session two has no message h0, which w1 has reported.",
  ],
  [
    "a missing position",
    withSession({ entries: [...entries.slice(0, 3), { ...secondFinal, position: 4, parentId: "e2", hash: "h3" }] }),
    "Session one should have 4 entries at the positions 0 to 3, but has 0, 1, 2, 4.",
  ],
  [
    "a missing last entry",
    withSession({ length: 5 }),
    "Session one should have 5 entries at the positions 0 to 4, but has 0, 1, 2, 3.",
  ],
  [
    "a prompt without an answer",
    { ...withSession({ length: 3, entries: entries.slice(0, 3) }), told: [] },
    "Task s1-1 has no last answer in session one.",
  ],
  ["a job that failed", { jobs: [{ task: "s1-1", state: "ended", outcome: "failed" }] }, "The job of task s1-1 is ended: failed."],
  [
    "a job that has not ended",
    { jobs: [{ task: "s1-1", state: "running", outcome: undefined }] },
    "The job of task s1-1 is running: no result.",
  ],
];

test.each(losses)("%s is a loss", (_name, changed, problem) => {
  expect(findProblems({ ...good, ...changed })).toEqual({ lost: [problem], twice: [] });
});

const repetitions: [name: string, changed: Partial<Facts>, problem: string][] = [
  [
    "an entry that does not follow the one before it",
    withSession({ entries: entries.map((entry) => (entry.id === "e3" ? { ...entry, parentId: "e1" } : entry)) }),
    "Session one: entry e3 at position 3 follows e1 instead of e2.",
  ],
  [
    "a worker that writes after another one has opened the session",
    { told: [...toldBy("w1", "r1", [0, 2]), ...toldBy("w2", "r2", [1, 3])] },
    "Session one was written by r1 up to position 2, and by r2 from position 1.",
  ],
  [
    "a prompt that was sent twice",
    withSession({ length: 5, entries: [...entries, secondPrompt] }),
    "The prompt of task s1-1 is in its session 2 times.",
  ],
  [
    "a prompt that ran to its end twice",
    withSession({ length: 5, entries: [...entries, { ...secondFinal, position: 4, id: "e4", parentId: "e3" }] }),
    "Task s1-1 ran to its end 2 times.",
  ],
  [
    "a tool call that ran twice",
    { ledger: [...good.ledger, ...good.ledger.map((line) => ({ ...line, worker: "w2" }))] },
    "The tool call s1-1.1.1 ran in w1 and in w2.",
  ],
  [
    "a last answer that the model gave twice, although the first worker was not disturbed",
    { answers: [{ task: "s1-1", isFinal: true, worker: "w3" }, ...good.answers] },
    "The model gave w3 the last answer of task s1-1, and had to give it again.",
  ],
];

test.each(repetitions)("%s is a repetition", (_name, changed, problem) => {
  expect(findProblems({ ...good, ...changed })).toEqual({ lost: [], twice: [problem] });
});

test("a last answer that the model gave again after the death of its worker is none", () => {
  const answers = [{ task: "s1-1", isFinal: true, worker: "w1" }, ...good.answers];
  expect(findProblems({ ...good, answers })).toEqual({ lost: [], twice: [] });
});

test("an answer that was aborted is not the last one, even if it has all of the text", () => {
  const aborted = { ...secondFinal, position: 4, id: "e4", parentId: "e3", stopReason: "aborted" };
  expect(findProblems({ ...good, ...withSession({ length: 5, entries: [...entries, aborted] }) })).toEqual({ lost: [], twice: [] });
  const onlyAborted = {
    ...withSession({ entries: [...entries.slice(0, 3), { ...aborted, position: 3, id: "e3", parentId: "e2" }] }),
    told: [],
  };
  expect(findProblems({ ...good, ...onlyAborted }).lost).toEqual(["Task s1-1 has no last answer in session one."]);
});
