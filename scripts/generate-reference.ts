// Writes the reference tables of docs/rpc.md and docs/json.md anew: node --conditions=pikit-source scripts/generate-reference.ts
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withTables } from "./reference/tables.ts";

for (const name of ["rpc.md", "json.md"]) {
  const file = join(import.meta.dirname, "../docs", name);
  writeFileSync(file, withTables(readFileSync(file, "utf8")));
}
