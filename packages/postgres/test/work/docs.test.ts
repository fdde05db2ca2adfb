import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { importOptions } from "@pikit/test-kit";
import { expect, onTestFinished, test } from "vitest";
import { createDatabase } from "../helpers/database.ts";

const packageFolder = fileURLToPath(new URL("../..", import.meta.url));

test("the program of docs/work.md runs and prints what it promises", async () => {
  // Inside the package, so that the program finds what a user's own project would have installed.
  const folder = join(packageFolder, "test/.generated-docs");
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const text = readFileSync(join(packageFolder, "../../docs/work.md"), "utf8");
  const programPattern = /^```ts\n(.*?)^```$/gms;
  const [program, ...others] = [...text.matchAll(programPattern)].map((match) => match[1] ?? "");
  expect(others).toEqual([]);
  writeFileSync(join(folder, "work.ts"), program ?? "");
  const { stdout } = await promisify(execFile)(process.execPath, [...importOptions, join(folder, "work.ts")], {
    cwd: folder,
    env: { ...process.env, PI_SESSION_STORE: await createDatabase(), PI_CODING_AGENT_DIR: join(folder, "agent") },
  });
  expect(stdout).toBe("true false\nuser\nassistant\nended completed The shop, with 17. 0\n");
});
