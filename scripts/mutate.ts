// npm run mutate [-- --count 20] [--seed 7] [--files 'packages/agent/src/**'] [--seconds 90]: changes the sources in small ways, one at a
// time and in a copy, runs the tests that come near the change, and prints the changes that no test has noticed.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findMutants, type Mutant } from "./mutate/find-mutants.ts";
import { Judge } from "./mutate/judge.ts";
import { whyUnprotected } from "./mutate/protection.ts";
import { RelatedTests } from "./mutate/related-tests.ts";
import { TestRunner } from "./mutate/run-tests.ts";
import { sample } from "./mutate/sample.ts";
import { WorkingCopy } from "./mutate/working-copy.ts";

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const { values } = parseArgs({
  options: {
    /** How many changes are tried. */
    count: { type: "string", default: "20" },
    /** The same seed chooses the same changes, as long as the sources stay. */
    seed: { type: "string", default: String(Date.now() % 100_000) },
    files: { type: "string", default: "packages/{ai,agent,coding-agent,rpc-client}/src/**/*.ts" },
    /** Tests of one change are ended after that. */
    seconds: { type: "string", default: "90" },
    /** Runs where the system cannot keep mutants from the files and processes of the user, such as in a container of their own. */
    unprotected: { type: "boolean", default: false },
  },
});

const sources = globSync(values.files, { cwd: root }).filter((file) => file.endsWith(".ts") && !file.includes(".generated."));
const mutants = sources.sort().flatMap((file) => findMutants(file, readFileSync(join(root, file), "utf8")));
const chosen = sample(mutants, Number(values.count), Number(values.seed));
console.error(`${chosen.length} of ${mutants.length} mutants in ${sources.length} files, --seed ${values.seed}`);

const survivors: string[] = [];
let tried = 0;
let copy: WorkingCopy | undefined;
let runner: TestRunner | undefined;
// Before there is anything to remove. Work that blocks, such as copying, is finished first.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    runner?.stop();
    finish();
    process.exit(130);
  });
}

copy = new WorkingCopy(root);
const reason = values.unprotected ? undefined : whyUnprotected(copy.folder, root);
if (reason !== undefined) {
  copy.remove();
  console.error(`Mutants may kill processes and replace files, and ${reason}. Run this in a container, with --unprotected.`);
  process.exit(1);
}
runner = new TestRunner(copy, { isProtected: !values.unprotected });
const judge = new Judge(copy, new RelatedTests(root), runner, { limitMs: Number(values.seconds) * 1000 });
for (const mutant of chosen) {
  const verdict = await judge.judge(mutant);
  tried += 1;
  const place = `${mutant.file}:${mutant.line}: ${describe(mutant)}`;
  if (!verdict.isKilled) survivors.push(`${place} (${verdict.note})`);
  const end = verdict.isKilled ? `killed by ${verdict.by.replace(/^packages\//, "")}` : `survived, ${verdict.note}`;
  console.error(`${tried}/${chosen.length} ${place}: ${end}`);
}
finish();

function finish(): void {
  copy?.remove();
  for (const survivor of survivors) console.log(survivor);
  console.log(`${tried} mutants, ${tried - survivors.length} killed, ${survivors.length} survived (--seed ${values.seed})`);
}

function describe({ before, after }: Mutant): string {
  return `${shorten(before)} became ${after.trim() === "" ? "nothing" : shorten(after)}`;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return `\`${line.length > 80 ? `${line.slice(0, 60)} … ${line.slice(-15)}` : line}\``;
}
