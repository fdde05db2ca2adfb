// Run by sessions.ts with --expose-gc, in a process of its own: does one thing with a session file and prints its CPU time in milliseconds.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [task, path, agentDir] = process.argv.slice(2) as ["parse" | "open" | "append" | "context", string, string];
const library = join(import.meta.dirname, "../../packages/coding-agent/dist/index.js");
const { createAgentSession } = (await import(library)) as typeof import("../../packages/coding-agent/src/index.ts");

/** Appends and contexts a process, so that the first one, which compiles, does not count alone. */
const repetitions = { append: 1000, context: 5 };

function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function openSession() {
  return createAgentSession({ session: { path }, agentDir, model: "demo/tour", contextFiles: false });
}

async function measure(work: () => unknown): Promise<number> {
  const start = cpuMilliseconds();
  await work();
  return cpuMilliseconds() - start;
}

const tasks = {
  parse() {
    const parsed: unknown[] = [];
    return measure(() => {
      for (const line of readFileSync(path, "utf8").split("\n")) if (line !== "") parsed.push(JSON.parse(line));
    });
  },
  open: () => measure(openSession),
  async append() {
    const session = await openSession();
    await session.history.setName("begun");
    // What loading left is not cleaned up on the account of the appends.
    globalThis.gc?.();
    return measure(async () => {
      for (let n = 0; n < repetitions.append; n += 1) await session.history.setName(`name ${n}`);
    });
  },
  async context() {
    const session = await openSession();
    const total = await measure(async () => {
      // The session that is open is shown again where it stands: its context is read anew.
      for (let n = 0; n < repetitions.context; n += 1) await session.history.open(path);
    });
    return total / repetitions.context;
  },
};

console.log(await tasks[task]());
process.exit();
