import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { importOptions, usesBuilt } from "@pikit/test-kit";
import { afterAll, beforeAll, expect, test } from "vitest";

const packageFolder = dirname(dirname(fileURLToPath(import.meta.url)));
const root = join(packageFolder, "../..");
// Inside the package, so that the programs find what a user's own project would have installed.
const examplesFolder = join(packageFolder, "test/.generated-examples");
let agentDir: string;

beforeAll(async () => {
  await cp(join(root, "examples"), examplesFolder, { recursive: true });
  agentDir = await mkdtemp(join(tmpdir(), "pikit-examples-"));
});

afterAll(async () => {
  await rm(examplesFolder, { recursive: true, force: true });
  await rm(agentDir, { recursive: true, force: true });
});

async function runExample(name: string): Promise<string[]> {
  const before = await readdir(tmpdir());
  const { stdout } = await promisify(execFile)(process.execPath, [...importOptions, join(examplesFolder, name, "main.ts")], {
    cwd: agentDir,
    env: { PATH: process.env.PATH, HOME: agentDir, PI_CODING_AGENT_DIR: agentDir, SOME_API_KEY: "secret" },
  });
  const scratch = (await readdir(tmpdir())).filter((entry) => entry.startsWith("scratch-") && !before.includes(entry));
  expect(scratch).toEqual([]);
  return stdout.trimEnd().split("\n");
}

test("virtual-files: the tools work on files in memory, and commands on a copy of them", async () => {
  const script = 'while read -r name; do echo "Hello $name"; done < names.txt > greetings.txt\n';
  expect(await runExample("virtual-files")).toEqual([
    "read: Ada | Grace",
    "write: Created bin/greet.sh (76 B).",
    "bash: 2 | 0",
    "edit: Edited greetings.txt: 1 replacement, first changed line 1.",
    expect.stringMatching(
      /^read: Cannot read greeting\.txt \(\/project\/greeting\.txt\).*\(ENOENT\).* Did you mean greetings\.txt\?$/,
    ),
    '/project/names.txt = "Ada\\nGrace\\n"',
    `/project/bin/greet.sh = ${JSON.stringify(script)}`,
    '/project/greetings.txt = "Good morning, Ada\\nHello Grace\\n"',
  ]);
});

test("the examples are well typed", async () => {
  const extended = join(root, "tsconfig.check.json");
  // The declarations that were built are what users have, and a tenth of the work of the sources.
  const compilerOptions = usesBuilt ? { customConditions: [] } : {};
  await writeFile(
    join(examplesFolder, "tsconfig.json"),
    JSON.stringify({ extends: extended, compilerOptions, include: ["**/*.ts"] }),
  );
  const compile = promisify(execFile)(join(root, "node_modules/.bin/tsc"), ["-p", examplesFolder]);
  expect(await compile.catch((error: { stdout: string }) => error)).toMatchObject({ stdout: "" });
});
