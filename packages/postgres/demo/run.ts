// Behind `npm run demo:fleet`: a fleet of workers on this machine, to which everything happens that may happen. See docs/fleet.md.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findProblems } from "./checks.ts";
import { openDemoDatabase } from "./demo-database.ts";
import { runFleet } from "./fleet.ts";
import { summaryOf } from "./summary.ts";

const numbers = { sessions: 1000, workers: 4, kills: 8, "stop-seconds": 60, "lease-seconds": 15, concurrency: 8, seed: 1 };
type NumberName = keyof typeof numbers;

/** The options of the command line, all of them numbers. */
function readOptions(): Record<NumberName, number> {
  const names = Object.keys(numbers) as NumberName[];
  const { values } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: "string" as const }])) });
  const read = (name: NumberName): number => {
    const text = values[name];
    if (text === undefined) return numbers[name];
    const value = Number(text);
    if (text === "" || !Number.isFinite(value) || value < 0) throw new Error(`--${name} must be a number, but is "${text}".`);
    return value;
  };
  return Object.fromEntries(names.map((name) => [name, read(name)])) as Record<NumberName, number>;
}

const { "stop-seconds": stopSeconds, "lease-seconds": leaseSeconds, ...counts } = readOptions();
const interruption = new AbortController();
for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => interruption.abort());
const started = performance.now();
const tell = (line: string) => console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);
const folder = mkdtempSync(join(tmpdir(), "pikit-fleet-"));
const database = await openDemoDatabase();
let isGood = false;
try {
  const { facts, failures } = await runFleet({
    ...{ ...counts, stopSeconds, leaseSeconds, folder, tell, signal: interruption.signal },
    databaseUrl: database.url,
    restartDatabase: database.restart,
  });
  const { lost, twice } = findProblems(facts);
  const problems = [...failures, ...lost, ...twice];
  isGood = problems.length === 0;
  for (const problem of problems.slice(0, 40)) console.log(`PROBLEM: ${problem}`);
  if (!isGood) {
    writeFileSync(join(folder, "facts.json"), JSON.stringify({ ...facts, disturbedWorkers: [...facts.disturbedWorkers] }, null, 1));
    console.log(`The output of the workers, and all that was observed, is in ${folder}.`);
  }
  console.log(summaryOf(facts));
  const { sessions, kills } = counts;
  console.log(`${sessions} sessions, ${facts.tasks.length} prompts, ${kills} kills, ${lost.length} lost, ${twice.length} twice`);
} finally {
  await database.close();
  if (isGood) rmSync(folder, { recursive: true, force: true });
}
process.exitCode = isGood ? 0 : 1;
