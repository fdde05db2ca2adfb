import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { type Result, summarize } from "./lib/statistics.ts";

/** What a command may take more than a bare spawn of the same shell, in milliseconds. */
const budgetMs = 5;
const command = "echo hi";

// By address, so that what is measured is what is shipped.
const { runProcess } = (await import(
  new URL("../packages/coding-agent/dist/index.js", import.meta.url).href
)) as typeof import("../packages/coding-agent/src/index.ts");

/** One `echo` through the process runner, and through it with separate streams, against a bare spawn of bash. */
export async function bash(rounds: number): Promise<Result[]> {
  const cwd = tmpdir();
  const programs = {
    bare: () => spawnBare(cwd),
    joined: () => runProcess({ command, cwd }),
    separate: () => runProcess({ command, cwd, streams: "separate" }),
  };
  const times: Record<keyof typeof programs, number[]> = { bare: [], joined: [], separate: [] };
  // A round is short: ten times as many make a stable median.
  for (let round = -20; round < 10 * rounds; round += 1) {
    for (const [name, program] of Object.entries(programs)) {
      const start = performance.now();
      await program();
      if (round >= 0) times[name as keyof typeof programs].push(performance.now() - start);
    }
  }
  const bare = summarize("spawn of bash -c", "ms", times.bare);
  const limit = (bare.median + budgetMs) / bare.median;
  return [
    bare,
    summarize("command, joined streams", "ms", times.joined, bare, limit),
    summarize("command, separate streams", "ms", times.separate, bare, limit),
  ];
}

async function spawnBare(cwd: string): Promise<void> {
  const child = spawn("/bin/bash", ["-c", command], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.resume();
  child.stderr.resume();
  await once(child, "close");
}
