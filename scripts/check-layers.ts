// Checks that imports keep the order of the layers: node scripts/check-layers.ts [folder] (Node 22.18 or newer). A part of `npm run lint`.
import { resolve } from "node:path";
import { findProblems } from "./layers/check.ts";

const root = resolve(process.argv[2] ?? `${import.meta.dirname}/..`);
const problems = findProblems(root);
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(`\nThe layers are broken in ${problems.length} places. Their order, and what it means: scripts/layers/order.ts`);
  process.exitCode = 1;
}
