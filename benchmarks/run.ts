// npm run bench [-- --json] [--full] [--rounds 41] [name …]: runs the benchmarks and prints their results beside the budgets.
import { parseArgs, styleText } from "node:util";
import { adapterLoad, adapterStream } from "./adapters.ts";
import { bash } from "./bash.ts";
import { edit } from "./edit.ts";
import { firstAnswer } from "./first-answer.ts";
import type { Result } from "./lib/statistics.ts";
import { search } from "./search.ts";
import { sessions } from "./sessions.ts";

const benchmarks: Readonly<Record<string, (rounds: number, options: { isFull: boolean }) => Promise<Result[]>>> = {
  "first-answer": firstAnswer,
  "adapter-stream": adapterStream,
  "adapter-load": adapterLoad,
  search,
  edit,
  bash,
  sessions,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    rounds: { type: "string", default: "21" },
  },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) fail(`--rounds is "${values.rounds}": expected a number from 1 on.`);
const unknown = positionals.find((name) => !(name in benchmarks));
if (unknown) fail(`No benchmark "${unknown}": there is ${Object.keys(benchmarks).join(", ")}.`);

const results: Result[] = [];
for (const [name, benchmark] of Object.entries(benchmarks)) {
  if (positionals.length === 0 || positionals.includes(name)) results.push(...(await benchmark(rounds, { isFull: values.full })));
}
if (values.json)
  console.log(JSON.stringify({ node: process.version, platform: `${process.platform}-${process.arch}`, rounds, results }, null, 2));
else printTable();

function printTable(): void {
  console.log(`Node ${process.version}, ${rounds} rounds, interleaved; the spread is the 10th to the 90th percentile\n`);
  printLine("", "median", "spread", "ratio", "limit");
  for (const { name, unit, median, low, high, ratio, limit } of results) {
    const last = limit === undefined ? "" : `${limit.toFixed(1)} ×${ratio > limit ? styleText("red", " over") : ""}`;
    printLine(name, `${median.toFixed(1)} ${unit}`, `${low.toFixed(1)}–${high.toFixed(1)}`, `${ratio.toFixed(2)} ×`, last);
  }
}

function printLine(name: string, median: string, spread: string, ratio: string, limit: string): void {
  console.log(`${name.padEnd(34)}${median.padStart(10)}${spread.padStart(16)}${ratio.padStart(9)}    ${limit}`.trimEnd());
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
