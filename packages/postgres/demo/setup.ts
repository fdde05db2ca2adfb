import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folders and files of the demo. */
export interface Workplace {
  /** Where workers are installed: the example's `worker.mjs`, and `node_modules`. */
  app: string;
  /** Configuration of pi. */
  agentDir: string;
  /** The working folder of the agents. */
  cwd: string;
  /** Lines of `ToldMessage`. */
  toldFile: string;
  /** Lines of `LedgerLine`. */
  ledgerFile: string;
  /** The output of the workers. */
  logs: string;
}

const repository = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Makes folders for workers as users install them: the built packages, no special flags.
 *
 * @param modelUrl - The scripted provider. Its key is the name of the worker, so that it knows who asks.
 */
export function createWorkplace(folder: string, modelUrl: string): Workplace {
  const [app, agentDir, cwd, logs] = ["app", "agent", "work", "logs"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const part of [join(app, "node_modules/@pikit"), join(agentDir, "extensions"), cwd, logs])
    mkdirSync(part, { recursive: true });
  for (const name of ["coding-agent", "postgres"]) {
    symlinkSync(join(repository, "packages", name), join(app, "node_modules/@pikit", name));
  }
  copyFileSync(join(repository, "examples/fleet/worker.mjs"), join(app, "worker.mjs"));
  copyFileSync(join(dirname(fileURLToPath(import.meta.url)), "extension.mjs"), join(agentDir, "extensions/fleet.mjs"));
  const provider = { baseUrl: modelUrl, api: "openai-completions", apiKey: "$FLEET_WORKER", models: [{ id: "scripted" }] };
  writeFileSync(join(agentDir, "models.json"), JSON.stringify({ providers: { fleet: provider } }));
  writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ defaultProvider: "fleet", defaultModel: "scripted" }));
  const [toldFile, ledgerFile] = [join(folder, "told.jsonl"), join(folder, "ledger.jsonl")];
  for (const file of [toldFile, ledgerFile]) writeFileSync(file, "");
  return { app, agentDir, cwd, toldFile, ledgerFile, logs };
}
