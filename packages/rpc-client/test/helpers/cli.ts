import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { importOptions, usesBuilt } from "@pikit/test-kit";

const agentPackage = fileURLToPath(new URL("../../../coding-agent", import.meta.url));

/** What `process.execPath` runs as `pi`. */
export const cliArguments: readonly string[] = [...importOptions, join(agentPackage, usesBuilt ? "dist/cli.js" : "src/cli.ts")];
