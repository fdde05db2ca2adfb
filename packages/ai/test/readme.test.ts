import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const folder = new URL("..", import.meta.url);

test("the first example of the README runs as it stands", async () => {
  const readme = await readFile(new URL("README.md", folder), "utf8");
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1];
  expect(example).toBeDefined();
  const args = ["--conditions=pikit-source", "--input-type=module-typescript", "--eval", example ?? ""];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  expect(stdout).toMatch(/^Hello! What shall we build\?\n\(stop, \d+ tokens\)\n$/);
  expect(stderr).toBe("");
});
