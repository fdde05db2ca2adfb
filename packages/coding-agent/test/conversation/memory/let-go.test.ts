import { expect, test } from "vitest";
import { useWorkspace } from "../../helpers/workspace.ts";
import type { LetGoReport } from "./let-go.ts";
import { runProgram } from "./run-program.ts";

const isLong = process.env.PIKIT_LONG === "1";
/** Characters of a session before something takes them from its context, half of them in images. */
const length = isLong ? 48_000_000 : 6_000_000;
/** Places of entries, what is compiled meanwhile, and one tool result more. */
const slackBytes = 1_500_000 + length / 12;
/** Of what is stored in memory, images stay: text that is not in the context takes a tenth of its space, images three quarters. */
const packedShare = { file: 0, memory: 0.6 };

const kept = { compactionSummary: 1, assistant: 2, toolResult: 1 };
const firstTurn = { user: 1, assistant: 5, toolResult: 4 };
/** What is in the context after each step. */
const contexts = {
  compact: kept,
  newSession: {},
  fork: firstTurn,
  branch: firstTurn,
  compactTwoBranches: kept,
  delegate: { user: 1, assistant: 2, toolResult: 1 },
  queues: kept,
  bash: {},
};

const workspace = useWorkspace();

test.each([
  ["a file", "file", { ...contexts, switchSession: { user: 1, assistant: 1 } }],
  ["memory", "memory", contexts],
] as const)(
  "what compactions, branches, forks, new sessions, sub-tasks and queues take from the context of a session in %s is let go of",
  async (_name, place, expected) => {
    const { cwd, agentDir } = workspace;
    const reports = await runProgram<Record<string, LetGoReport>>("let-go.ts", place, cwd, agentDir, String(length));
    expect(mapValues(reports, ({ strangers }) => strangers)).toEqual(mapValues(expected, () => ({})));
    expect(mapValues(reports, ({ context }) => context)).toEqual(expected);
    const tooLarge = Object.entries(reports).filter(([, { left, contextCharacters, storedCharacters }]) => {
      return left > contextCharacters + packedShare[place] * storedCharacters + slackBytes;
    });
    expect(tooLarge).toEqual([]);
  },
);

function mapValues<T, R>(record: Readonly<Record<string, T>>, map: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
