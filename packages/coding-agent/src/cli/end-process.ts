import { existsSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import { bun } from "../runtime.ts";

/** Milliseconds that files may take which are still being read or written when all else is done. */
const settleMs = 1000;
const lookEveryMs = 10;

/** Exit codes that tell of a signal. */
const signalsByCode: Partial<Record<number, NodeJS.Signals>> = { 129: "SIGHUP", 130: "SIGINT", 143: "SIGTERM" };

const workers = new Set<Worker>();

/**
 * Sees to it that the process is gone when it ends. Node waits for all of its threads then, also for one that opens a pipe to which nobody
 * writes, reads from a file server that is gone, or looks up a name: for ever, after everything that could end it has run. To be called once,
 * at the start.
 */
export function guardExit(): void {
  if (bun) return; // it waits for no threads
  process.on("worker", (worker: Worker) => {
    workers.add(worker);
    worker.once("exit", () => workers.delete(worker));
  });
  process.on("exit", leave);
}

/** Ends the process with this exit code, or the one that a signal has set, when files are written; waits a second for them at most. */
export async function endProcess(exitCode: number): Promise<never> {
  for (let waitedMs = 0; waitedMs < settleMs && countFileRequests() > 0; waitedMs += lookEveryMs) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  // Also when a tool has left timers or sockets open.
  process.exit(process.exitCode ?? exitCode);
}

/** The first of the `exit` listeners. */
function leave(exitCode: number): void {
  if (!isHeldUp()) return;
  for (const listener of process.listeners("exit")) if (listener !== leave) tryTo(() => listener(exitCode));
  vanish(Number(process.exitCode ?? exitCode));
}

/** Whether a thread may be at work that Node would wait for. */
function isHeldUp(): boolean {
  const lookUps = ["GetAddrInfoReqWrap", "GetNameInfoReqWrap"];
  return workers.size > 0 || countFileRequests() > 0 || process.getActiveResourcesInfo().some((name) => lookUps.includes(name));
}

function countFileRequests(): number {
  return bun ? 0 : process.getActiveResourcesInfo().filter((name) => name.startsWith("FSReq")).length;
}

/**
 * Ends the process without waiting. Only another program in its place can do that with any exit code; before Node 22.15, which cannot start
 * one, the end of a signal is told as that signal, which shells show as the same number, and any other as SIGKILL.
 */
function vanish(exitCode: number): void {
  const shell = "/bin/sh";
  if (process.execve && process.platform !== "win32" && existsSync(shell)) {
    tryTo(() => process.execve?.(shell, ["sh", "-c", `exit ${exitCode}`], {}));
  }
  const signal = signalsByCode[exitCode];
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.kill(process.pid, "SIGKILL");
}

function tryTo(act: () => unknown): void {
  try {
    act();
  } catch {
    // A listener of somebody else: the process ends all the same.
  }
}
