// Run by memory.ts with --expose-gc, in a process of its own: prints the bytes of heap and buffers that something takes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const [task, argument, cwd, agentDir] = process.argv.slice(2) as ["parsed" | "open" | "compacted" | "gone", string, string, string];
const packages = join(import.meta.dirname, "../../packages");
const { createAgentSession } = (await import(
  join(packages, "coding-agent/dist/index.js")
)) as typeof import("../../packages/coding-agent/src/index.ts");
const { createScriptedModel } = (await import(
  join(packages, "ai/dist/index.js")
)) as typeof import("../../packages/ai/src/index.ts");

const warmUps = 3;

function open(session: "new" | "memory" | { path: string }) {
  const model = createScriptedModel({ script: () => ({ text: "Done." }) });
  return createAgentSession({ cwd, agentDir, model, session, contextFiles: false });
}

async function collect(): Promise<number> {
  for (let round = 0; round < 4; round += 1) {
    await wait(10);
    globalThis.gc?.();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function useSession(): Promise<void> {
  const session = await open("memory");
  await session.prompt("Hello");
  await session.dispose();
}

/** What is held while its bytes are counted. */
const tasks: Readonly<Record<typeof task, () => Promise<unknown>>> = {
  async parsed() {
    const lines = readFileSync(argument, "utf8").split("\n").slice(1).filter(Boolean);
    return lines.map((line) => JSON.parse(line).message);
  },
  open: () => open({ path: argument }),
  async compacted() {
    const session = await open({ path: argument });
    await session.compact();
    return session;
  },
  async gone() {
    for (let n = 0; n < Number(argument); n += 1) await useSession();
  },
};

// What comes first loads what is loaded once, and has compiled what it needs.
for (let n = 0; n < (task === "gone" ? Number(argument) : warmUps); n += 1) await useSession();
const small = await open("new");
for (let n = 0; n < warmUps; n += 1) await small.prompt("Hello".repeat(20_000));
if (task === "compacted") await small.compact();
await small.dispose();
await (await open({ path: small.sessionFile as string })).dispose();
const before = await collect();
const held = await tasks[task]();
const bytes = (await collect()) - before;
console.log(task === "gone" ? bytes / Number(argument) : bytes);
process.exit(held === null ? 1 : 0);
