import type { ScriptedAnswer } from "@pikit/ai";

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What is asked of an agent that will be killed, and what it answers. */
export interface Story {
  answers: ScriptedAnswer[];
  /** Sent one after the other without waiting. */
  commands: { type: string; id: string; [field: string]: unknown }[];
  /** The record after which the agent is killed, counted from the first that it writes. */
  killAfterRecords: number;
  /** Milliseconds between that record and the kill. */
  killDelayMs: number;
  /** Of a half-written line that is added to the file, the share that is there; 0 for no such line. */
  tornShare: number;
}

/** A story of text, tools, large outputs and queues. */
export function createStory(seed: number): Story {
  const random = createRandom(seed);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const answers = Array.from({ length: 6 }, (_, index): ScriptedAnswer => {
    const text = `${index} ${"word € 😀 ".repeat(1 + Math.floor(random() * 60))}`;
    const delayMs = pick([0, 0, 1]);
    const call = pick([
      undefined,
      { name: "bash", arguments: { command: `seq 1 ${pick([3, 2000, 60_000])}` } },
      { name: "bash", arguments: { command: "sleep 30 & sleep 0.05; echo slept" } },
      { name: "write", arguments: { path: `file-${index}.txt`, content: "x".repeat(Math.floor(random() * 50_000)) } },
    ]);
    return { text, deltas: 20, delayMs, ...(call ? { toolCalls: [call] } : {}) };
  });
  const commands = [
    { type: "prompt", message: `Go ${seed}` },
    ...[1, 2, 3].map((n) => ({ type: pick(["steer", "follow_up"]), message: `queued ${n} of ${seed}` })),
    { type: "set_session_name", name: `name ${seed}` },
    { type: "bash", command: pick(["echo mine", "seq 1 30000", "sleep 30"]) },
    { type: "follow_up", message: `last of ${seed}` },
  ].map((command, index) => ({ ...command, id: `c${index}` }));
  return {
    answers,
    commands,
    killAfterRecords: 1 + Math.floor(random() * 120),
    killDelayMs: pick([0, 0, 1, 3, 10]),
    tornShare: pick([0, random()]),
  };
}
