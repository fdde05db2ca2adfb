// npm run test:clients [-- --only <part of a name>] [-- --write]: uses the clients and extensions of others with the built command.
// `--write` writes the tables of docs/compatibility.md.
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { ClientResult } from "../lib/report.ts";
import { checkAcpx, checkAcpxWithPi, checkPiAcp } from "./clients/editors.ts";
import { checkExamples } from "./clients/examples.ts";
import { checkFamilyClient } from "./clients/family-client.ts";
import { checkOhMyPi } from "./clients/oh-my-pi.ts";
import { extensionPackages } from "./clients/packages.ts";
import { sessionReaders } from "./clients/session-readers.ts";
import { clientTable, plainRow, problemList, writeTables } from "./lib/table.ts";
import { folderOf } from "./lib/workspace.ts";

const families = ["@mariozechner/pi-coding-agent", "@earendil-works/pi-coding-agent"];

/** All clients by group, in the order of the table. */
const groups: Readonly<Record<string, readonly (() => Promise<ClientResult>)[]>> = {
  family: families.map((name) => () => checkFamilyClient(name)),
  "oh-my-pi": [checkOhMyPi],
  editors: [checkPiAcp, checkAcpx, checkAcpxWithPi],
  readers: sessionReaders,
  packages: extensionPackages,
  examples: families.map((name) => () => checkExamples(name)),
};

const { values } = parseArgs({ options: { only: { type: "string" }, write: { type: "boolean", default: false } } });
const { only, write } = values;
if (only !== undefined && (write || !(only in groups))) {
  console.error(`--only is "${only}": expected one of ${Object.keys(groups).join(", ")}, and no --write.`);
  process.exit(2);
}
const results: ClientResult[] = [];
for (const [group, checks] of Object.entries(groups)) {
  if (only !== undefined && only !== group) continue;
  for (const check of checks) results.push(await check());
}

const problems = problemList(results);
console.log(`\n${results.map(plainRow).join("\n")}`);
if (problems !== undefined) console.log(`\n${problems}`);
if (write) {
  const text = [clientTable(results), problems === undefined ? "Everything works." : `What does not work:\n\n${problems}`].join(
    "\n\n",
  );
  await writeTables(join(folderOf(""), "../../../docs/compatibility.md"), text);
}
const failed = results.reduce((sum, result) => sum + result.failed.length, 0);
console.log(`\n${results.reduce((sum, result) => sum + result.passed.length, 0)} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
