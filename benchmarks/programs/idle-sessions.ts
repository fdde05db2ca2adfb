// Run by sessions.ts with --expose-gc: opens sessions that do nothing, and prints the bytes that each of them takes.
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const [cwd, agentDir, ...paths] = process.argv.slice(2) as [string, string, ...string[]];
const library = join(import.meta.dirname, "../../packages/coding-agent/dist/index.js");
const { createAgentSession } = (await import(library)) as typeof import("../../packages/coding-agent/src/index.ts");
const count = Number(process.env.SESSIONS);

function open(n: number) {
  const path = paths[n];
  return createAgentSession({ cwd, agentDir, model: "demo/tour", session: path === undefined ? "memory" : { path } });
}

async function memory(): Promise<{ heap: number; resident: number }> {
  // Twice, since finalizers run in between.
  for (let round = 0; round < 2; round += 1) {
    globalThis.gc?.();
    await wait(20);
  }
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, resident: rss };
}

// The first ones load what is loaded once.
const sessions = [await open(0)];
await sessions[0]?.dispose();
const before = await memory();
for (let n = 0; n < count; n += 1) sessions.push(await open(n));
const after = await memory();
console.log(
  JSON.stringify({
    heap: (after.heap - before.heap) / count,
    resident: (after.resident - before.resident) / count,
    open: sessions.length,
  }),
);
process.exit();
