import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Result, summarize } from "./lib/statistics.ts";

/** What a sandbox may add to a command, in milliseconds. */
const budgetMs = 25;
const command = "echo hi";

// By address, so that what is measured is what is shipped.
const { createAgentSession, createScriptedModel } = (await import(
  new URL("../packages/coding-agent/dist/index.js", import.meta.url).href
)) as typeof import("../packages/coding-agent/src/index.ts");

/** One `echo` of a session with a sandbox, against one of a session without. Empty where no sandbox can be made. */
export async function sandbox(rounds: number): Promise<Result[]> {
  const folder = await mkdtemp(join(tmpdir(), "pikit-bench-"));
  const open = (mode: "off" | "require") =>
    createAgentSession({
      ...{ cwd: folder, agentDir: join(folder, "agent"), session: "memory", sandbox: mode },
      model: createScriptedModel({ script: [] }),
    });
  const plain = await open("off");
  const contained = await open("require").catch((error: Error) => void process.stderr.write(`sandbox: ${error.message}\n`));
  try {
    if (!contained) return [];
    const sessions = { plain, contained };
    const times: Record<keyof typeof sessions, number[]> = { plain: [], contained: [] };
    // A round is short: ten times as many make a stable median.
    for (let round = -10; round < 10 * rounds; round += 1) {
      for (const [name, session] of Object.entries(sessions)) {
        const start = performance.now();
        await session.shell.run(command, { excludeFromContext: true });
        if (round >= 0) times[name as keyof typeof sessions].push(performance.now() - start);
      }
    }
    const base = summarize("command without a sandbox", "ms", times.plain);
    return [base, summarize("command in a sandbox", "ms", times.contained, base, (base.median + budgetMs) / base.median)];
  } finally {
    await plain.dispose();
    await contained?.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}
