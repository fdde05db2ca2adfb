import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Result, summarize } from "./lib/statistics.ts";

/** The longest that an edit may keep the process from other work, in milliseconds. */
const budgetMs = 50;

// By address, so that what is measured is what is shipped.
const built = (name: string) => import(new URL(`../packages/${name}/dist/index.js`, import.meta.url).href);
const { createAgentSession } = (await built("coding-agent")) as typeof import("../packages/coding-agent/src/index.ts");
const { createScriptedModel } = (await built("ai")) as typeof import("../packages/ai/src/index.ts");

/** 5 MB of code, and of text where each line has something that only tolerant matching finds. */
const code = Array.from({ length: 100_000 }, (_, i) => `const value${i} = compute(${i}, "some text here");\n`).join("");
const prose = Array.from(
  { length: 70_000 },
  (_, i) => `\u201cWort\u201d ${i} \u2014 gr\u00f6\u00dfer als je fr\u00fcher, und so weiter  \n`,
).join("");

const edits = {
  exact: { content: code, oldText: "(99999, ", newText: "(0, " },
  "exact, CRLF": { content: code.replaceAll("\n", "\r\n"), oldText: 'here");\nconst value99999', newText: "\n" },
  tolerant: { content: prose, oldText: '"Wort" 69999 - gr', newText: "W" },
  "not found": { content: code, oldText: 'compute(99998, "same text here")', newText: "" },
};

interface Turns {
  milliseconds: number;
  /** Between two turns of the event loop. */
  longestMs: number;
}

/** One edit of a file of 5 MB: how long it takes and how long it keeps the event loop from turning, against a bare read and replace. */
export async function edit(rounds: number): Promise<Result[]> {
  const cwd = await mkdtemp(join(tmpdir(), "pikit-bench-"));
  const file = join(cwd, "a.txt");
  const bare: Turns[] = [];
  const ours = Object.entries(edits).map(([name, { content, ...texts }]) => ({ name, content, texts, turns: [] as Turns[] }));
  try {
    for (let round = -3; round < rounds; round += 1) {
      await writeFile(file, code);
      const bareTurns = await measureTurns(() => editBare(file));
      if (round >= 0) bare.push(bareTurns);
      for (const { content, texts, turns } of ours) {
        await writeFile(file, content);
        const measured = await measureEdit(cwd, texts);
        if (round >= 0) turns.push(measured);
      }
    }
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
  const times = (series: readonly Turns[]) => series.map(({ milliseconds }) => milliseconds);
  const longest = (series: readonly Turns[]) => series.map(({ longestMs }) => longestMs);
  const bareTime = summarize("bare edit of 5 MB", "ms", times(bare));
  const bareTurn = summarize("bare edit, longest turn", "ms", longest(bare));
  const limit = { atMost: budgetMs };
  return [
    bareTime,
    ...ours.map(({ name, turns }) => summarize(`edit of 5 MB, ${name}`, "ms", times(turns), bareTime)),
    bareTurn,
    ...ours.map(({ name, turns }) => summarize(`${name}, longest turn`, "ms", longest(turns), bareTurn, limit)),
  ];
}

/** From the call of the tool to its result. */
async function measureEdit(cwd: string, texts: { oldText: string; newText: string }): Promise<Turns> {
  const model = createScriptedModel({
    script: [{ toolCalls: [{ name: "edit", arguments: { path: "a.txt", ...texts } }] }, { text: "Done." }],
  });
  const session = await createAgentSession({ cwd, agentDir: cwd, model, session: "memory", tools: ["edit"] });
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  session.subscribe(({ type }) => {
    if (type === "tool_execution_start") started.resolve();
    if (type === "tool_execution_end") ended.resolve();
  });
  const prompting = session.prompt("Edit.");
  await started.promise;
  const turns = await measureTurns(() => ended.promise);
  await prompting;
  await session.dispose();
  return turns;
}

async function measureTurns(work: () => Promise<void>): Promise<Turns> {
  const start = performance.now();
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  let longestMs = 0;
  for (let turn = start; !isDone; ) {
    await nextTurn();
    const now = performance.now();
    longestMs = Math.max(longestMs, now - turn);
    turn = now;
  }
  await working;
  return { milliseconds: performance.now() - start, longestMs };
}

async function editBare(file: string): Promise<void> {
  const text = await readFile(file, "utf8");
  await writeFile(`${file}.tmp`, text.replace("(99999, ", "(0, "));
  await rename(`${file}.tmp`, file);
}
