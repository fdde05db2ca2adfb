// Behind `npm run demo:fleet`: a fleet of workers on this machine, to which everything happens that may happen. See docs/fleet.md.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findProblems } from "./checks.ts";
import { openDemoDatabase } from "./demo-database.ts";
import { type FleetReport, runFleet } from "./fleet.ts";
import { summaryOf } from "./summary.ts";

const numbers = { sessions: 1000, workers: 4, kills: 8, "stop-seconds": 60, "lease-seconds": 15, concurrency: 8, seed: 1 };
/** The exit code after SIGINT or SIGTERM. */
const interruptedCode = 130;
/** Maximum number of problems that are printed. */
const maxProblems = 40;
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
try {
  const found = await runFleet({
    ...{ ...counts, stopSeconds, leaseSeconds, folder, tell, signal: interruption.signal },
    databaseUrl: database.url,
    restartDatabase: database.restart,
  });
  process.exitCode = interruption.signal.aborted ? interrupted() : report(found);
} finally {
  await database.close();
  // It is kept when something went wrong.
  if (process.exitCode === 0 || process.exitCode === interruptedCode) rmSync(folder, { recursive: true, force: true });
}

/** @returns The exit code. */
function interrupted(): number {
  console.log("The demo was interrupted, so nothing was compared.");
  return interruptedCode;
}

/**
 * Prints the result; the last line has the counts.
 *
 * @returns The exit code.
 */
function report({ facts, failures }: FleetReport): number {
  const { lost, twice } = findProblems(facts);
  const problems = [...failures, ...lost, ...twice];
  for (const problem of problems.slice(0, maxProblems)) console.log(`PROBLEM: ${problem}`);
  if (problems.length > 0) {
    writeFileSync(join(folder, "facts.json"), JSON.stringify({ ...facts, disturbedWorkers: [...facts.disturbedWorkers] }, null, 1));
    console.log(`The output of the workers, and all that was observed, is in ${folder}.`);
  }
  console.log(summaryOf(facts));
  const { sessions, kills } = counts;
  console.log(`${sessions} sessions, ${facts.tasks.length} prompts, ${kills} kills, ${lost.length} lost, ${twice.length} twice`);
  return problems.length === 0 ? 0 : 1;
}
