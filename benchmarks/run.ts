// npm run bench [-- --json] [--full] [--rounds 41] [--against <command>] [name …]: runs the benchmarks and prints their results beside the budgets.
import { parseArgs } from "node:util";
import { adapterLoad, adapterStream } from "./adapters.ts";
import { bash } from "./bash.ts";
import { burst } from "./burst.ts";
import { client } from "./client.ts";
import { edit } from "./edit.ts";
import { firstAnswer } from "./first-answer.ts";
import { firstPrompt } from "./first-prompt.ts";
import { hostModels } from "./host-models.ts";
import { type AgentOptions, otherAgent, whyDead } from "./lib/agents.ts";
import type { Result } from "./lib/statistics.ts";
import { printHead, printResults } from "./lib/table.ts";
import { longRun } from "./long-run.ts";
import { manyPrompts } from "./many-prompts.ts";
import { manySessions } from "./many-sessions.ts";
import { memory } from "./memory.ts";
import { otel } from "./otel.ts";
import { postgres } from "./postgres.ts";
import { sandbox } from "./sandbox.ts";
import { search } from "./search.ts";
import { serve } from "./serve.ts";
import { serveLoad } from "./serve-load.ts";
import { sessions } from "./sessions.ts";
import { stream } from "./stream.ts";
import { terminal } from "./terminal.ts";
import { undo } from "./undo.ts";
import { work } from "./work.ts";

type Benchmark = (rounds: number, options: AgentOptions & { isFull: boolean }) => Promise<Result[]>;

/** Those that any other agent can take part in. */
const ofAgents: Readonly<Record<string, Benchmark>> = {
  "first-answer": firstAnswer,
  "first-prompt": firstPrompt,
  stream,
  "long-run": longRun,
  "many-prompts": manyPrompts,
};
const benchmarks: Readonly<Record<string, Benchmark>> = {
  ...ofAgents,
  client,
  "adapter-stream": adapterStream,
  "adapter-load": adapterLoad,
  "host-models": hostModels,
  search,
  edit,
  undo,
  bash,
  sandbox,
  sessions,
  memory,
  "many-sessions": manySessions,
  burst,
  terminal,
  serve,
  "serve-load": serveLoad,
  postgres,
  work,
  otel,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    rounds: { type: "string", default: "21" },
    against: { type: "string" },
  },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) fail(`--rounds is "${values.rounds}": expected a number from 1 on.`);
const possible = values.against === undefined ? benchmarks : ofAgents;
const unknown = positionals.find((name) => !(name in possible));
if (unknown) fail(`No benchmark "${unknown}": there is ${Object.keys(possible).join(", ")}.`);
if (values.against?.trim() === "") fail("--against is empty: expected the command of an agent.");

const other = values.against === undefined ? undefined : otherAgent(values.against);
const death = other && (await whyDead(other));
const options = { isFull: values.full, against: death === undefined ? other : undefined };
const all: Record<string, Result[]> = {};
if (!values.json) printHead(rounds, values.against);
for (const [name, benchmark] of Object.entries(possible)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const results = await measure(name, benchmark);
  if (death !== undefined) results.push({ name: "against", failure: death });
  all[name] = results;
  if (!values.json) printResults(name, results);
}
if (values.json) {
  const platform = `${process.platform}-${process.arch}`;
  const { against } = values;
  console.log(JSON.stringify({ node: process.version, platform, rounds, ...(against && { against }), benchmarks: all }, null, 2));
}

/** A benchmark that breaks takes no other one with it. */
async function measure(name: string, benchmark: Benchmark): Promise<Result[]> {
  try {
    return withoutRepeats(await benchmark(rounds, options));
  } catch (error) {
    process.exitCode = 1;
    return [{ name, failure: error instanceof Error ? error.message : String(error) }];
  }
}

/** A program that failed has no measurements, of whichever kind: it says so once. */
function withoutRepeats(results: readonly Result[]): Result[] {
  const failures = new Set<string>();
  return results.filter((result) => {
    if (!("failure" in result)) return true;
    const isNew = !failures.has(result.name);
    failures.add(result.name);
    return isNew;
  });
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
