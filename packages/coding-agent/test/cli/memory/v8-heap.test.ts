import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** Fills the heap with garbage, collects it, and tells how much was in use before and after. */
const program = `
  const { boundNewSpace, boundOldSpace, collectGarbage, usedHeapBytes } = await import(process.argv[1]);
  boundNewSpace();
  boundOldSpace(true);
  const sizes = () => process.getBuiltinModule("node:v8").getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size;
  let kept = Array.from({ length: 200_000 }, (_, index) => ({ index }));
  const before = usedHeapBytes();
  kept = undefined;
  await new Promise(setImmediate);
  collectGarbage();
  console.log(JSON.stringify({ before, after: usedHeapBytes(), newSpace: sizes(), hasGc: "gc" in globalThis }));`;

test("collects old objects without a flag from outside, and shrinks the space for new ones", async () => {
  const module = fileURLToPath(new URL("../../../src/cli/memory/v8-heap.ts", import.meta.url));
  const args = ["--conditions=pikit-source", "--input-type=module", "-e", program, module];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  expect(stderr).toBe("");
  const { before, after, newSpace, hasGc } = JSON.parse(stdout) as Record<string, number>;
  expect(before).toBeGreaterThan((after as number) + 8e6);
  expect(newSpace).toBeLessThan(4e6);
  expect(hasGc).toBe(false);
});
