import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";

/** Set in the process that replaces this one, so that a `node` that is Bun itself (`bun --bun`) does not start another. */
const mark = "PI_STARTED_BY_OLD_BUN";

const forwarded: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs the command line with the `node` of the PATH, in the place of a runtime that is not supported. The process has the same input, output,
 * folder and environment, and gets the same signals.
 *
 * @returns Its exit code; undefined if there is no `node`.
 */
export async function runWithNode(args: readonly string[]): Promise<number | undefined> {
  const [, script] = process.argv;
  if (script === undefined || process.env[mark] !== undefined) return undefined;
  const child = spawn("node", [script, ...args], { stdio: "inherit", env: { ...process.env, [mark]: "1" } });
  for (const signal of forwarded) process.on(signal, () => void child.kill(signal));
  const started = once(child, "spawn");
  const ended = once(child, "close");
  ended.catch(() => undefined);
  try {
    await started;
  } catch {
    return undefined; // ENOENT: there is no Node
  }
  const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
  return code ?? 128 + constants.signals[signal ?? "SIGKILL"];
}
