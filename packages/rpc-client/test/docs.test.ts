import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
// Inside the package, so that the programs find what a user's own project would have installed.
const programFolder = join(packageFolder, "test/.generated-docs");
const workFolder = mkdtempSync(join(tmpdir(), "rpc-client-docs-"));

afterAll(() => {
  rmSync(programFolder, { recursive: true, force: true });
  rmSync(workFolder, { recursive: true, force: true });
});

/** Runs the programs of a document, in a folder with a README, and gives what they print. */
async function runPrograms(document: string): Promise<string[]> {
  mkdirSync(programFolder, { recursive: true });
  writeFileSync(join(workFolder, "README.md"), "# Sample\n\nA folder for the examples to look at.\n");
  const text = readFileSync(join(packageFolder, document), "utf8");
  const outputs: string[] = [];
  for (const [, program = ""] of text.matchAll(/^```ts\n(.*?)^```$/gms)) {
    const file = join(programFolder, `program-${outputs.length + 1}.ts`);
    writeFileSync(file, program);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--conditions=pikit-source", file], {
      cwd: workFolder,
      env: { ...process.env, PI_CODING_AGENT_DIR: join(workFolder, "agent") },
    });
    expect(stderr).toBe("");
    outputs.push(stdout);
  }
  return outputs;
}

test("the programs of docs/rpc-client.md run and print what they promise", { timeout: 30_000 }, async () => {
  const [first, second, ...others] = await runPrograms("../../docs/rpc-client.md");
  expect(others).toEqual([]);
  expect(first).toContain("\n[bash]\n");
  expect(first).toContain('README.md is titled "Sample" and begins: A folder for the examples to look at.');
  expect(first).toMatch(/\n6 messages\n$/);
  expect(second).toBe("toolUse\ntoolUse\nstop\n");
});

test("the program of the package's README runs", { timeout: 30_000 }, async () => {
  const [only, ...others] = await runPrograms("README.md");
  expect(others).toEqual([]);
  expect(only).toMatch(/^6 [\s\S]*README\.md is titled "Sample"/);
});
