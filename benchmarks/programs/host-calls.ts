// Run by host-models.ts in a process of its own: calls a host model 20 times, once one after the other and once all at once, and prints the CPU
// time of each as one line of JSON.

import type { HostModelOutput } from "../../packages/ai/src/index.ts";

// By address: the built package is what is measured, and types are checked before anything is built.
const built = new URL("../../packages/ai/dist/index.js", import.meta.url).href;
const { createHostModel, stream } = (await import(built)) as typeof import("../../packages/ai/src/index.ts");
const [rounds] = process.argv.slice(2);
const calls = 20;
const deltas = 10_000;

async function* run(): AsyncGenerator<HostModelOutput> {
  yield { type: "text_start", contentIndex: 0 };
  for (let index = 0; index < deltas; index += 1) yield { type: "text_delta", contentIndex: 0, delta: `word${index} ` };
  yield { type: "text_end", contentIndex: 0 };
  yield { stopReason: "stop" };
}

const model = createHostModel({ id: "bench", run });

async function call(): Promise<void> {
  let count = 0;
  const events = stream(model, { messages: [{ role: "user", content: "Go", timestamp: 0 }] });
  for await (const event of events) if (event.type === "text_delta") count += 1;
  if (count !== deltas) throw new Error(`expected ${deltas} deltas, got ${count}: ${(await events.result()).errorMessage}`);
}

async function cpuMilliseconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const times: { alone: number[]; together: number[] } = { alone: [], together: [] };
// The first rounds load and compile.
for (let round = -2; round < Number(rounds); round += 1) {
  if (round === 0) times.alone.length = times.together.length = 0;
  times.alone.push(
    await cpuMilliseconds(async () => {
      for (let count = 0; count < calls; count += 1) await call();
    }),
  );
  times.together.push(await cpuMilliseconds(() => Promise.all(Array.from({ length: calls }, call))));
}
console.log(JSON.stringify(times));
