import { deepEqual } from "node:assert/strict";
import { cp, readdir, stat, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { Checks, type ClientResult, describe } from "../../lib/report.ts";
import { Agent } from "../lib/agent.ts";
import { folderOf, versionOf, type Workspace, withWorkspace } from "../lib/workspace.ts";
import { type ExampleFlow, exampleFlows } from "./example-flows.ts";
import { exampleFlowsWithPlaces } from "./example-places.ts";

/** What examples need that is not there: the only problem that they may have. */
const missing: Readonly<Record<string, RegExp>> = {
  "file-trigger": /ENOENT.*agent-trigger\.txt/, // a file that its user creates
  gondolin: /failed to fetch|image/, // an image from the network
};

const flows: Readonly<Record<string, ExampleFlow>> = { ...exampleFlows, ...exampleFlowsWithPlaces };

/** Loads every example extension of a version of the family's package, and uses those with a flow. */
export async function checkExamples(packageName: string): Promise<ClientResult> {
  const about = "loading each, and what the ones with tools, commands, dialogs and guards do";
  const checks = new Checks(`example extensions of ${packageName}`, await versionOf(packageName), about);
  const folder = join(folderOf(packageName), "examples/extensions");
  for (const name of await listExamples(folder)) {
    await withWorkspace(async (workspace) => checkExample(checks, name, await copyExamples(folder, workspace), workspace));
  }
  return checks.result;
}

/** The files and folders that are extensions. */
async function listExamples(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = await Promise.all(
    entries.map(async (entry) => {
      if (entry.isFile()) return entry.name.endsWith(".ts") ? [entry.name] : [];
      const index = await stat(join(folder, entry.name, "index.ts")).catch(() => undefined);
      return index ? [entry.name] : [];
    }),
  );
  return names.flat().sort();
}

/** Copies the examples, beside what `npm install` would give them. */
async function copyExamples(folder: string, { root }: Workspace): Promise<string> {
  const copy = join(root, "examples");
  await cp(folder, copy, { recursive: true });
  await symlink(folderOf(""), join(root, "node_modules"));
  return copy;
}

async function checkExample(checks: Checks, file: string, folder: string, workspace: Workspace): Promise<void> {
  const name = basename(file, ".ts");
  const flow = flows[name];
  await flow?.prepare?.(workspace);
  const agent = await Agent.start(workspace, [join(folder, file)], flow?.answers);
  await checks.check(flow ? `${name} works` : `${name} loads`, async () => {
    await agent.commandNames();
    await flow?.run(agent, workspace);
    deepEqual(
      agent.problems.filter((problem) => !missing[name]?.test(problem)),
      [],
    );
  });
  const code = await agent.end();
  if (code !== 0) await checks.check(`${name} ends in order`, () => Promise.reject(new Error(describe(agent.lines.stderr))));
}
