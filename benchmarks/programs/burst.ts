// Run by benchmarks/burst.ts: prompts so many sessions at once, and prints one line of JSON a round: how long the event loop was held up.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Delay, watchLoop } from "../lib/loop-delay.ts";

/** One round. */
export interface Burst {
  /** While the sessions are created, all at once. */
  created: Delay;
  /** From the prompts, which come all at once, to the last end. */
  prompted: Delay;
  /** The same of bare requests. */
  bare: Delay;
}

async function main(): Promise<void> {
  const [url = "", rounds = "1", count = "300", deltas = "100", rate = "20"] = process.argv.slice(2);
  const library = new URL("../../packages/coding-agent/dist/index.js", import.meta.url).href;
  const { createAgentSession } = (await import(library)) as typeof import("../../packages/coding-agent/src/index.ts");
  const folder = await mkdtemp(join(tmpdir(), "pikit-bench-"));
  const address = `${url}/${count}/${deltas}/${rate}`;
  const all = Array.from({ length: Number(count) });
  for (let round = -1; round < Number(rounds); round += 1) {
    const bare = await delayOf(() => Promise.all(all.map(() => readBare(address))));
    const sessions: import("../../packages/coding-agent/src/index.ts").AgentSession[] = [];
    const created = await delayOf(async () => {
      const options = { cwd: folder, agentDir: folder, session: "memory" as const, model: modelAt(address) };
      sessions.push(...(await Promise.all(all.map(() => createAgentSession(options)))));
    });
    for (const session of sessions) session.subscribe(() => undefined);
    const prompted = await delayOf(() => Promise.all(sessions.map((session) => session.prompt("Go"))));
    await Promise.all(sessions.map((session) => session.dispose()));
    // The first round loads, connects and compiles.
    if (round >= 0) console.log(JSON.stringify({ created, prompted, bare } satisfies Burst));
  }
  await rm(folder, { recursive: true });
  process.exit();
}

async function delayOf(work: () => Promise<unknown>): Promise<Delay> {
  const end = await watchLoop();
  await work();
  return end();
}

function modelAt(baseUrl: string) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const limits = { contextWindow: 1e6, maxTokens: 1000, cost };
  const names = { id: "bench", name: "bench", provider: "bench", api: "anthropic-messages" };
  return { ...names, ...limits, baseUrl, reasoning: false, input: ["text" as const] };
}

async function readBare(address: string): Promise<void> {
  const response = await fetch(`${address}/v1/messages`, { method: "POST", body: "{}" });
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: {")) JSON.parse(line.slice(6));
  }
}

await main();
