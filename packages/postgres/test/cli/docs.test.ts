import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { importOptions } from "@pikit/test-kit";
import { expect, onTestFinished, test } from "vitest";
import { useMachine } from "./helpers.ts";

const machine = useMachine();

// Inside the package, so that the programs find what a user's own project would have installed.
const programFolder = fileURLToPath(new URL("../.generated-sdk/", import.meta.url));

test("the program of docs/sdk.md stores its sessions in the database", async () => {
  const text = await readFile(new URL("../../../../docs/sdk.md", import.meta.url), "utf8");
  const programs = [...text.matchAll(docsPattern)].map(([, program = ""]) => program);
  expect(programs).toHaveLength(1);
  await mkdir(programFolder, { recursive: true });
  onTestFinished(() => rm(programFolder, { recursive: true, force: true }));
  const file = join(programFolder, "sdk.mjs");
  await writeFile(file, programs[0] ?? "");
  const { cwd, agentDir } = machine.workspace;
  const { stdout } = await promisify(execFile)(process.execPath, [...importOptions, file], {
    cwd,
    env: { PATH: process.env.PATH, PI_CODING_AGENT_DIR: agentDir, PI_SESSION_STORE: machine.address },
  });
  expect(stdout).toBe(`null 2\nnull 4\nshop-42 of ${cwd}\n`);
});

const docsPattern = /^```js\n(.*?)^```$/gms;
