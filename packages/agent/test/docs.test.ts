import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

// Inside the package, so that the programs find what a user's own project would have installed.
const programFolder = fileURLToPath(new URL(".generated-docs", import.meta.url));

beforeAll(() => mkdir(programFolder, { recursive: true }));
afterAll(() => rm(programFolder, { recursive: true, force: true }));

/** Runs the only program of a document and returns the lines that it prints. */
async function runProgram(document: string): Promise<string[]> {
  const text = await readFile(new URL(document, import.meta.url), "utf8");
  const [program, ...others] = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => match[1] ?? "");
  expect(others).toEqual([]);
  const file = join(programFolder, `${document.replaceAll(/\W+/g, "-")}.ts`);
  await writeFile(file, program ?? "");
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=pikit-source", file]);
  return stdout.trimEnd().split("\n");
}

test("the program of docs/agent.md runs its tools, asks its hook and follows up", async () => {
  expect(await runProgram("../../../docs/agent.md")).toEqual([
    "I look at both shelves.",
    'count {"shelf":"tea"}',
    'count {"shelf":"coffee"}',
    "  12 boxes",
    '  error: There is no shelf "coffee". Take one of: tea.',
    'order {"shelf":"coffee","boxes":"20"}',
    '  error: Not ordered: a person has to confirm {"shelf":"coffee","boxes":20}.',
    "We have 12 boxes of tea. Somebody has to confirm the order of coffee.",
    "Goodbye.",
    "user assistant toolResult toolResult assistant toolResult assistant user assistant",
  ]);
});

test("the program of the README runs its tool and prints the answer", async () => {
  const lines = await runProgram("../README.md");
  expect(lines[0]).toBe("add [ { type: 'text', text: '5' } ]");
  expect(lines.join("\n")).toContain("text: '2 + 3 = 5'");
});
