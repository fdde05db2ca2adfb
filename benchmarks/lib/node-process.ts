import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

export interface ProcessOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Spawns this Node with `args` and waits for its end; milliseconds. */
export async function measureExit(args: readonly string[], options: ProcessOptions): Promise<number> {
  const start = performance.now();
  await once(spawn(process.execPath, args, { ...options, stdio: "ignore" }), "exit");
  return performance.now() - start;
}

export interface FirstOutput {
  /** Spawn to the first output on stdout. */
  milliseconds: number;
  /** Resident memory then. */
  bytes: number;
}

/**
 * Spawns this Node with `args`, writes `input`, and stops it after its first output.
 *
 * @throws {Error} When the first output does not contain `expected`, or the program ends without one.
 */
export async function measureFirstOutput(
  args: readonly string[],
  { input, expected, ...options }: ProcessOptions & { input?: string; expected: string },
): Promise<FirstOutput> {
  const start = performance.now();
  const child = spawn(process.execPath, args, { ...options, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  if (input !== undefined) child.stdin.write(input);
  const [output = "nothing"] = await Promise.race([once(child.stdout, "data"), ended.then(() => [])]);
  const milliseconds = performance.now() - start;
  if (!String(output).includes(expected)) throw new Error(`node ${args.join(" ")} printed ${output}, expected ${expected}.`);
  const bytes = residentBytes(child);
  // The end of input lets the program end by itself, and Node writes its compile cache then.
  if (input === undefined) child.kill();
  child.stdin.end();
  await ended;
  return { milliseconds, bytes };
}

function residentBytes({ pid }: ChildProcess): number {
  const kilobytes =
    process.platform === "linux"
      ? /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
      : execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
  return Number(kilobytes) * 1024;
}
