import { expect, test } from "vitest";
import { useWorkspace } from "../../helpers/workspace.ts";
import { runProgram } from "./run-program.ts";

const isLong = process.env.PIKIT_LONG === "1";
const count = isLong ? 1000 : 100;

const workspace = useWorkspace();

/** Bytes for each session that is gone: for code that is still compiled now and then. What a session itself takes is tens of times that. */
const allowedBytes = 4000;

test.each(["memory", "a file"])(`${count} sessions in %s that end leave nothing in memory`, async (place) => {
  const { cwd, agentDir } = workspace;
  const heap = await runProgram<number[]>("many-sessions.ts", place, cwd, agentDir, String(count));
  // The least of each half: what is in flight when a sample is taken only adds.
  const growth = Math.min(...heap.slice(heap.length / 2)) - Math.min(...heap.slice(0, heap.length / 2));
  if (isLong) console.log(`${count} sessions in ${place}, heap in MB: ${heap.map((bytes) => (bytes / 1e6).toFixed(2)).join(" ")}`);
  expect(growth / (count / 2)).toBeLessThan(allowedBytes);
});
