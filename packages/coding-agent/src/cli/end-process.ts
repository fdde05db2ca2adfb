import { existsSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import { bun } from "../runtime.ts";

/** Maximum milliseconds to wait for running file operations after all other work is done. */
const settleMs = 1000;
const lookEveryMs = 10;

/** The exit codes of signals. */
const signalsByCode: Partial<Record<number, NodeJS.Signals>> = { 129: "SIGHUP", 130: "SIGINT", 143: "SIGTERM" };

const workers = new Set<Worker>();

/**
 * Makes sure that the process really ends at exit. Node waits for all its threads at exit, also for one that is blocked: opening a pipe without
 * a writer, reading from a dead file server, or resolving a host name. That wait can last forever. Call this once, at the start.
 */
export function guardExit(): void {
  if (bun) return; // Bun does not wait for threads
  process.on("worker", (worker: Worker) => {
    workers.add(worker);
    worker.once("exit", () => workers.delete(worker));
  });
  process.on("exit", leave);
}

const lastActs: (() => Promise<void>)[] = [];

/** Adds a function that is called when the process ends in order, after the sessions were closed. It has at most a second. */
export function beforeEnd(act: () => Promise<void>): void {
  lastActs.push(act);
}

/**
 * Exits with `exitCode`, or with the code that a signal has set. Waits at most a second for the functions of `beforeEnd`, and at most another one
 * for running file operations.
 */
export async function endProcess(exitCode: number): Promise<never> {
  if (lastActs.length > 0) {
    const acts = Promise.allSettled(lastActs.map((act) => act()));
    await Promise.race([acts, new Promise((resolve) => setTimeout(resolve, settleMs))]);
  }
  for (let waitedMs = 0; waitedMs < settleMs && countFileRequests() > 0; waitedMs += lookEveryMs) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  // Explicit, because a tool may have left timers or sockets open.
  process.exit(process.exitCode ?? exitCode);
}

/** The first `exit` listener. If a thread may block the exit, it runs the other listeners and kills the process. */
function leave(exitCode: number): void {
  if (!mayBlockExit()) return;
  for (const listener of process.listeners("exit")) if (listener !== leave) tryTo(() => listener(exitCode));
  exitNow(Number(process.exitCode ?? exitCode));
}

/** Whether a thread may be running for which Node would wait. */
function mayBlockExit(): boolean {
  const lookUps = ["GetAddrInfoReqWrap", "GetNameInfoReqWrap"];
  return workers.size > 0 || countFileRequests() > 0 || process.getActiveResourcesInfo().some((name) => lookUps.includes(name));
}

function countFileRequests(): number {
  return bun ? 0 : process.getActiveResourcesInfo().filter((name) => name.startsWith("FSReq")).length;
}

/**
 * Ends the process without waiting for threads. To keep the exit code, it replaces the process with a shell (`execve`, since Node 22.15).
 * Otherwise it kills itself: with the signal of the exit code, which shells show as the same number, or with SIGKILL.
 */
function exitNow(exitCode: number): void {
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
    // An error of another listener, or of execve; the process ends anyway.
  }
}
