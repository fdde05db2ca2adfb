import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { importOptions } from "@pikit/test-kit";
import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "./helpers/traced.ts";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
// Inside the package, so that the programs find what a user's own project would have installed.
const programs = join(packageFolder, "test/.generated-docs");

afterAll(() => rmSync(programs, { recursive: true, force: true }));

/** Runs the only program of a document. */
async function runProgram(document: string): Promise<string> {
  const text = readFileSync(document, "utf8");
  const programPattern = /^```ts\n(.*?)^```$/gms;
  const [program, ...others] = [...text.matchAll(programPattern)].map((match) => match[1] ?? "");
  expect(others).toEqual([]);
  mkdirSync(programs, { recursive: true });
  const file = join(programs, `${document.split("/").at(-1)}.ts`);
  writeFileSync(file, program ?? "");
  const folder = temporaryFolder();
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...importOptions, file], {
    cwd: folder,
    env: { ...process.env, PI_CODING_AGENT_DIR: join(folder, "agent") },
  });
  expect(stderr).toBe("");
  return stdout;
}

test("the program of docs/otel.md runs and prints the spans of its run", async () => {
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const spans = ["chat scripted", "shell", "execute_tool bash", "chat scripted", "invoke_agent pi"];
  expect(await runProgram(join(packageFolder, "../../docs/otel.md"))).toBe(spans.map((name) => `${name} ${trace}\n`).join(""));
});

test("the program of the README runs", async () => {
  expect(await runProgram(join(packageFolder, "README.md"))).toBe("");
});
