import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { importOptions } from "@pikit/test-kit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readScript } from "./helpers/read-script.ts";

const packageFolder = dirname(dirname(fileURLToPath(import.meta.url)));
const docsFolder = join(packageFolder, "../../docs");
// Inside the package, so that the programs find what a user's own project would have installed.
const programFolder = join(packageFolder, "test/.generated-docs");
let workFolder: string;

beforeAll(async () => {
  await mkdir(programFolder, { recursive: true });
  workFolder = await mkdtemp(join(tmpdir(), "pikit-docs-"));
  await writeFile(join(workFolder, "README.md"), "# Sample\n\nA folder for the examples to look at.\n");
});

afterAll(async () => {
  await rm(programFolder, { recursive: true, force: true });
  await rm(workFolder, { recursive: true, force: true });
});

async function runPrograms(document: string): Promise<string[]> {
  const text = await readFile(join(docsFolder, document), "utf8");
  const programs = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => match[1] ?? "");
  const outputs: string[] = [];
  for (const [index, program] of programs.entries()) {
    const file = join(programFolder, `${document}-${index + 1}.ts`);
    await writeFile(file, program);
    const { stdout } = await promisify(execFile)(process.execPath, [...importOptions, file], {
      cwd: workFolder,
      env: { ...process.env, PI_CODING_AGENT_DIR: join(workFolder, "agent") },
    });
    outputs.push(stdout);
  }
  return outputs;
}

test("the programs of docs/sdk.md run and print what they promise", async () => {
  const [minimal, customTool, customModel, ownModel, resume, memory, render, many, serve, ...others] = await runPrograms("sdk.md");
  expect(others).toEqual([]);
  expect(minimal).toContain('README.md is titled "Sample" and begins: A folder for the examples to look at.');
  expect(minimal).toMatch(/\n6 messages\n$/);
  expect(customTool).toBe("user assistant toolResult assistant\nTake no umbrella.\n");
  expect(customModel).toBe("Hello from your own model.\n");
  expect(ownModel).toBe('You said "Hello?"\n');
  expect(resume).toBe('true Shopping 2\ninstead of "What do we need?":\nuser assistant user assistant true\n');
  expect(memory).toBe("null 4 4\n");
  expect(render).toBe('Let me see.\n> bash {"command":"echo 42"}\n42\nIt is 42.\n(done)\n');
  expect(many).toBe("Hello Ada. Hello Grace. Hello Edsger.\n");
  expect(serve).toBe("ready\nresponse\nHello over there.\nagent_settled\n");
});

test("the store of docs/session-format.md keeps all promises, and a session goes on in it", async () => {
  expect(await runPrograms("session-format.md")).toEqual([
    "All promises were looked at.\nuser assistant\nuser assistant user assistant\n",
  ]);
});

test("the program of docs/undo.md takes a change back, and back again", async () => {
  expect(await runPrograms("undo.md")).toEqual(["1 0 0 before\nafter\n"]);
});

test("the program of docs/performance.md runs", async () => {
  const [warmed, ...others] = await runPrograms("performance.md");
  expect(others).toEqual([]);
  expect(warmed).toContain('README.md is titled "Sample"');
});

test("the script of docs/models.md is one that the scripted model reads", async () => {
  const text = await readFile(join(docsFolder, "models.md"), "utf8");
  const script = /^```jsonl\n(.*?)^```$/ms.exec(text)?.[1] ?? "";
  expect(await readScript(script)).toEqual([
    ["toolUse", "Let me look."],
    ["stop", "Two files."],
    ["error", ""],
  ]);
});

test("the program of docs/tools.md runs, and its file access refuses to write", async () => {
  const [refused, ...others] = await runPrograms("tools.md");
  expect(others).toEqual([]);
  expect(refused).toContain("the file system is read-only (EROFS). Use a path on another file system.");
});
